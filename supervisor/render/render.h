// SPDX-License-Identifier: Apache-2.0
// Site -> the config files and keys an engine gets. Pure: every file it needs is handed in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/wipe.h"
#include "ovpn/directive.h"
#include "ovpn/login_text.h"
#include "supervisor/render/artifact.h"
#include "supervisor/site/paths.h"
#include "supervisor/site/site.h"

namespace render {

enum class End { kNear, kFar };
// Which OpenVPN reads it. kAny is one text that 2.5, 2.6, 2.7 and the native engine all take
// (what only some know is wrapped in `setenv opt`).
enum class ForVersion { kAny, k25, k26, k27 };

// A file that a site names. `path` is where to read it (inside the root).
struct FileNeed {
  std::string path;       // first place to look
  std::string otherwise;  // where to look if it is not there; empty: nowhere else
  std::string written;    // as the config or site file says it; the key into RenderInput::files
  base::Place place;      // of the directive or site key
  bool secret = false;    // key material: must not be readable by others
  // What a person knows: its name, the key into RenderInput::logins, and where `tunctl credentials`
  // puts it, which is looked at first. `path` is empty where no file is named.
  std::string login{}, stored{};
  bool held = false;  // by systemd, under a name that the site file gives; there is no file to read
  ovpn::LoginKind kind = ovpn::LoginKind::kServer;
  bool optional = false;  // the tunnel may do without it
};

// The OpenVPN config of the first form; nothing for a described site.
std::vector<FileNeed> needed_config(const site::Site& site, const site::Paths& paths);
// The keys, certificates and included configs that the config (or the described site) names; then
// the logins that it wants, in the order in which a person is asked.
// `config_bytes` is empty for a described site. Inline blocks need no file.
std::vector<FileNeed> needed_files(const site::Site& site, const std::string& config_bytes,
                                   const site::Paths& paths);

struct RenderInput {
  const site::Site& site;
  std::string config_bytes{};                   // first form: the OpenVPN config's own bytes
  std::map<std::string, std::string> files{};   // FileNeed::written -> bytes
  std::map<std::string, std::string> logins{};  // FileNeed::login -> bytes
  site::Paths paths{};
  End end = End::kNear;
  ForVersion version = ForVersion::kAny;
  bool inline_key = false;  // one file with a <secret> block instead of a key file beside it
  std::string folder{};     // where it will lie (paths in the config point there); empty: relative
  std::string state_folder{};  // files the engine writes go there; empty: into `folder`
  // Near end, for an engine inside a unit: user, group, chroot, cd, daemon, log… are taken over or
  // dropped by name (each drop is a note).
  bool for_unit = false;
  // The engine begins as root (`tunctl run`): user and group stay for it to give its rights up.
  bool starts_as_root = false;
  std::vector<std::string> remote{};  // far end: how it reaches this machine, before far-end.remote
  std::string own_fingerprint{};      // far end of mode fingerprint: what it has to trust

  ~RenderInput() {
    base::wipe(config_bytes);
    for (auto& [written, bytes] : files) base::wipe(bytes);
    for (auto& [login, bytes] : logins) base::wipe(bytes);
  }
};

struct Rendered {
  std::vector<Artifact> artifacts;  // the config is the first one, "NAME.conf"
  ovpn::Profile profile;            // the config's directives as rendered
  std::vector<std::string> notes;   // what was dropped or added, one line each
  int nice = 0;                     // for_unit: what `nice` asked for, which the unit takes over
};

base::Result<Rendered, base::Problems> render(const RenderInput& input);

struct EngineDecision {
  bool fastpath = true;
  std::string reason;  // why stock OpenVPN: the first gap, or "engine = \"openvpn\""
};
// Problems: engine = "fastpath" with gaps (each one), a config stock would refuse as well, or a
// site that is unfinished().
base::Result<EngineDecision, base::Problems> choose_engine(const site::Site& site,
                                                           const ovpn::Profile& profile);

// Mode fingerprint without the far end's one: all is there but whom to trust. It cannot run, and
// its far end can be rendered.
std::optional<base::Problem> unfinished(const site::Site& site);

// What runs, but should not be left as it is, or is read otherwise than it looks: weak_points.cc.
base::Problems weak_points(const ovpn::Profile& profile);

// What stock OpenVPN of that version needs on its command line beside `--config FILE` to run this
// config at all: `--providers legacy default` for ciphers of OpenSSL's legacy provider (2.6, 2.7),
// `--allow-deprecated-insecure-static-crypto` (2.7). k25 and kAny: nothing.
std::vector<std::string> stock_arguments(const ovpn::Profile& profile, ForVersion version);

}  // namespace render
