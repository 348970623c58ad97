// SPDX-License-Identifier: Apache-2.0
// Who calls, by what root alone has written down: the owner of a runtime folder, which systemd made
// for the unit's user, and the marks of interfaces, which `tunctl prepare` made.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace root_helper {

struct Caller {
  std::string site;  // empty: root itself
};

// What a site file lets be changed (dns.use), as `prepare` wrote it into the mark.
enum class NameServerRight { kNone, kLink, kWholeMachine };

// `run_folder`: /run/tunctl. Nothing: neither root nor the user of a tunnel's unit that runs.
std::optional<Caller> caller_of(uid_t user, const std::string& run_folder);

// The site whose interface `device` is; empty: nobody's.
std::string owner_of(const std::string& device, const std::string& run_folder);

// kNone as well where `device` is not the caller's.
NameServerRight right_to(const Caller& caller, const std::string& device,
                         const std::string& run_folder);

}  // namespace root_helper
