// SPDX-License-Identifier: Apache-2.0
// What the life of a site changes on the machine, as wishes for plan::plan().
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/cli/work.h"

namespace cli {

// kOk, or a complaint: systemd does not know tunctl's units.
int is_installed(Context& context, host::ServiceManager& services, const std::string& name);

// What systemd has to know of the site before its unit is started: its drop-in.
plan::Desired known_site(Context& context, const SiteReport& report,
                         host::ServiceManager& services);
// Writes that drop-in anew, before a start or a restart, where there is one that no longer fits.
// Who lacks the right may be allowed to start the unit all the same, so that is no failure: the
// unit starts right by its launch.json, and status tells of the drop-in.
int renew_drop_in(Context& context, const SiteReport& report, host::ServiceManager& services);
// The same, and started at every boot.
plan::Desired enabled_site(Context& context, const SiteReport& report,
                           host::ServiceManager& services);
std::vector<std::string> units_to_enable(const std::string& name);
// Not started at boot any more and without its drop-in; stopped as well.
plan::Desired disabled_site(Context& context, host::ServiceManager& services,
                            const std::string& name, bool stop);

// What `enable` wrote, as far as it is there. What an admin put beside it (`systemctl edit`) stays.
std::vector<std::string> drop_in_left(Context& context, const std::string& name);

// What `remove` takes away of what is there. The site file goes first: a half-removed site is no
// site. What is there without it was left by a command that was cut short, and goes as well.
std::vector<std::string> files_of_site(Context& context, const std::string& name);

}  // namespace cli
