// SPDX-License-Identifier: Apache-2.0
// The site that takes the place of a unit of stock OpenVPN: made and checked in memory, so that
// nothing has been touched when something is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "supervisor/cli/old_unit.h"
#include "supervisor/cli/work.h"

namespace cli {

struct AdoptWish {
  std::optional<std::string> as;           // the site's name; else after the unit
  bool allow_scripts = false;              // of the config, as the unit's user
  std::optional<std::string> credentials;  // a file with what a person would be asked for, or "-"
};

struct AdoptedSite {
  SiteReport report;               // as `enable` would find it
  plan::Desired files;             // what has to be written; the site file comes last
  std::vector<std::string> notes;  // what a person should know, and need do nothing about

  const std::string& name() const { return report.site().name; }
};

// Looks at everything that `import`, `check` and `enable` look at, and asks for what the config
// wants to know of a person. The old unit itself is in nobody's way.
base::Result<AdoptedSite, ReportFailure> plan_adopted_site(Context& context,
                                                           host::ServiceManager& services,
                                                           const OldUnit& old,
                                                           const AdoptWish& wish);

}  // namespace cli
