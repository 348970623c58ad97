// SPDX-License-Identifier: Apache-2.0
// A site with a static key as it reads with fingerprints in its place. Pure.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "supervisor/launch/load_site.h"
#include "supervisor/render/artifact.h"

namespace cli {

struct MigrationWish {
  std::string role;              // "server", "client"
  std::string peer_fingerprint;  // as site/fingerprint.h reads it
  std::string config_path;       // where a kept config goes in its new form
};

struct MigratedSite {
  std::string text;                        // of the site file
  std::optional<render::Artifact> config;  // of a site that keeps one
};

// `text` is the site file's, `loaded` what was read from it. Only what protects the packets
// differs; a Problem where that cannot be made sure of, or where there is no static key.
base::Result<MigratedSite> migrated_site(const launch::LoadedSite& loaded, const std::string& text,
                                         const MigrationWish& wish, const site::Paths& paths);

}  // namespace cli
