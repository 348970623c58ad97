// SPDX-License-Identifier: Apache-2.0
// What an engine without rights asks of tunctl-helper(8): one packet, lines of text. Pure. The same
// file writes and reads it, so that the two programs cannot disagree.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "fastpath/hostnet/dns_plan.h"

namespace hostnet {

inline constexpr const char* kHelperSocket = "/run/tunctl/.helper";
inline constexpr std::size_t kHelperPacketBytesMax = 32 * 1024;  // 64 domains of 253 fit
inline constexpr std::size_t kHelperServersMax = 32;
inline constexpr std::size_t kHelperDomainsMax = 32;  // of each kind
inline constexpr std::size_t kQuestionBytesMax = 512;

// In place of what was set for `device` before. Without `whole_machine` only systemd-resolved may
// be told, as in DnsSetup::set.
struct SetNameServers {
  std::string device;
  DnsPlan plan;
  bool whole_machine = false;

  friend bool operator==(const SetNameServers&, const SetNameServers&) = default;
};
struct UndoNameServers {
  std::string device;

  friend bool operator==(const UndoNameServers&, const UndoNameServers&) = default;
};
// Through systemd's password agents, until the connection ends.
struct AskPerson {
  std::string text;   // printable, one line
  bool echo = false;  // the answer may be seen while it is typed

  friend bool operator==(const AskPerson&, const AskPerson&) = default;
};
using HelperRequest = std::variant<SetNameServers, UndoNameServers, AskPerson>;

std::string format_request(const HelperRequest& request);
// Nothing unless it is, byte for byte, what format_request() writes, within the limits above, with
// an interface's name, addresses, and domains of letters, digits, '-', '_' and '.'.
std::optional<HelperRequest> parse_request(std::string_view packet);

}  // namespace hostnet
