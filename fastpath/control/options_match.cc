// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/options_match.h"

#include <algorithm>

#include "base/text.h"

namespace control {
namespace {

constexpr std::string_view kSettledElsewhere[] = {
    "key-method", "keydir",  "proto",      "tls-auth",   "tun-ipv6", "cipher",
    "link-mtu",   "keysize", "tls-client", "tls-server", "auth",
};

// What the far end should say: the two addresses of ifconfig change places. A netmask does not.
std::string expected_from(std::string_view own) {
  std::string expected;
  for (const std::string_view option : base::split(own, ',')) {
    if (!expected.empty()) expected += ',';
    const auto words = base::split_words(option);
    const bool addresses =
        words.size() == 3 && words[0] == "ifconfig" && !words[2].starts_with("255.");
    expected += addresses ? "ifconfig " + std::string(words[2]) + " " + std::string(words[1])
                          : std::string(option);
  }
  return expected;
}

}  // namespace

std::vector<ovpn::OptionDifference> options_differences(std::string_view own,
                                                        std::string_view received) {
  std::vector<ovpn::OptionDifference> differences;
  if (own.empty() || received.empty()) return differences;
  for (const ovpn::OptionDifference& each : ovpn::compare_options(expected_from(own), received)) {
    const bool settled =
        std::ranges::find(kSettledElsewhere, each.name) != std::end(kSettledElsewhere);
    // A server in 2.6's sense tells no ifconfig, which it pushes.
    const bool pushed = each.name == "ifconfig" && (each.received.empty() || each.expected.empty());
    if (!settled && !pushed) differences.push_back(each);
  }
  return differences;
}

}  // namespace control
