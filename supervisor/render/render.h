// SPDX-License-Identifier: Apache-2.0
// Site -> the config files and keys an engine gets. Pure: every file it needs is handed in.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "ovpn/directive.h"
#include "supervisor/render/artifact.h"
#include "supervisor/site/site.h"

namespace render {

enum class End { kNear, kFar };
// Which OpenVPN reads it: the native engine reads what 2.6 reads.
enum class ForVersion { k25, k26, k27 };

struct RenderInput {
  const site::Site& site;
  std::string config_bytes;  // first form: the OpenVPN config's own bytes, else empty
  std::string key_text;      // described static-key sites: the key file's text, else empty
  End end = End::kNear;
  ForVersion version = ForVersion::k26;
  bool inline_key = false;  // one file with a <secret> block instead of a key file beside it
  std::string folder;       // where it will lie (paths in the config point there); empty: relative
  // Near end, for an engine inside a unit: user, group, chroot, cd, daemon, log… are taken over or
  // dropped by name (each drop is a note).
  bool for_unit = false;
};

struct Rendered {
  std::vector<Artifact> artifacts;  // the config is the first one, "NAME.conf"
  ovpn::Profile profile;            // the config's directives as rendered
  std::vector<std::string> notes;   // what was dropped or added, one line each
};

base::Result<Rendered, base::Problems> render(const RenderInput& input);

struct EngineDecision {
  bool fastpath = true;
  std::string reason;  // why stock OpenVPN: the first gap, or "engine = \"openvpn\""
};
// Problems: engine = "fastpath" with gaps (each one), or a config stock would refuse as well.
base::Result<EngineDecision, base::Problems> choose_engine(const site::Site& site,
                                                           const ovpn::Profile& profile);

}  // namespace render
