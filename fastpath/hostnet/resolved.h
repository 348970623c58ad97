// SPDX-License-Identifier: Apache-2.0
// systemd-resolved's D-Bus interface (org.freedesktop.resolve1(5)), in the few calls we need.
#pragma once

#include <string>

#include "fastpath/hostnet/dns_plan.h"

namespace hostnet {

enum class ResolvedAnswer {
  kDone,
  kAbsent,   // it does not run, or there is no bus
  kRefused,  // it runs, and `reason` says why not
};

// `bus`: as DnsPlaces. `index`: of the link, if_nametoindex(3).
ResolvedAnswer resolved_set_link(const std::string& bus, int index, const DnsPlan& plan,
                                 std::string& reason);
ResolvedAnswer resolved_revert_link(const std::string& bus, int index, std::string& reason);

}  // namespace hostnet
