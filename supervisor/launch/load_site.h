// SPDX-License-Identifier: Apache-2.0
// A site and every file it names, read and checked: what check, render, enable and prepare all
// begin with.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/wipe.h"
#include "supervisor/host/file_store.h"
#include "supervisor/render/render.h"
#include "supervisor/site/paths.h"
#include "supervisor/site/site.h"

namespace launch {

struct LoadedSite {
  site::Site site;
  std::string config_bytes;                   // first form only
  std::map<std::string, std::string> files;   // as RenderInput wants them
  std::map<std::string, std::string> logins;  // likewise
  std::string own_fingerprint;                // of this end's certificate in mode fingerprint
  // What a person can be asked for (`tunctl credentials`), in that order.
  std::vector<render::FileNeed> asks;
  base::Problems missing;   // what the tunnel cannot do without of it, and nobody has given
  base::Problems warnings;  // site_check's, and what files are open or out of date

  ~LoadedSite() {  // the config may hold a key as well
    base::wipe(config_bytes);
    for (auto& [written, bytes] : files) base::wipe(bytes);
    for (auto& [login, bytes] : logins) base::wipe(bytes);
  }

  // A RenderInput that points into this value; the caller sets end, folder and so on.
  render::RenderInput render_input(const site::Paths& paths) const;
};

// Exit statuses of the tunctl command for the ways a site can fail to load.
enum class LoadFailure { kNoSuchSite, kInvalid, kNotPermitted };

struct LoadError {
  LoadFailure failure = LoadFailure::kInvalid;
  base::Problems problems;                  // all that could be found in one go
  std::vector<render::FileNeed> asks = {};  // as LoadedSite's
};

// Never prints and never writes. `now`: against the times of certificates.
base::Result<LoadedSite, LoadError> load_site(host::FileStore& files, const site::Paths& paths,
                                              std::string_view name, int cpu_count,
                                              base::UnixSeconds now);

}  // namespace launch
