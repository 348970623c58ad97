// SPDX-License-Identifier: Apache-2.0
// A unit of stock OpenVPN that is to be taken over.
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/cli/old_command.h"
#include "supervisor/cli/work.h"

namespace cli {

struct OldUnit {
  std::string unit;  // "openvpn-client@office.service"
  std::string name;  // "office"
  OldCommand command;
  std::vector<int> cpus;   // that it is bound to, by whatever means; empty: not bound
  bool active = false;     // runs, or is on its way
  bool failing = false;    // is on its way again and again: it ends, and systemd starts it anew
  bool enabled = false;    // `systemctl enable`
  bool generated = false;  // something else starts it at boot, as /etc/default/openvpn does
  int pid = 0;             // of its main process
  base::Problems warnings;
};

// `word`: a unit's name, or that of a config of Debian's ("office"). Problems: there is no such
// unit, it is no OpenVPN, or its config is not there, with names that are near.
base::Result<OldUnit, ReportFailure> find_old_unit(Context& context, host::ServiceManager& services,
                                                   const std::string& word);

// "openvpn-client@office" and its like: every unit that Debian's folders have a config for.
std::vector<std::string> adoptable_units(Context& context);

}  // namespace cli
