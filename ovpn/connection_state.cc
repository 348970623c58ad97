// SPDX-License-Identifier: Apache-2.0
#include "ovpn/connection_state.h"

#include <array>
#include <cstddef>

namespace ovpn {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 13> kNames = {
    "INITIAL",   "CONNECTING",   "RESOLVE",    "TCP_CONNECT", "WAIT",
    "AUTH",      "AUTH_PENDING", "GET_CONFIG", "ASSIGN_IP",   "ADD_ROUTES",
    "CONNECTED", "RECONNECTING", "EXITING"};
static_assert(kNames.size() == static_cast<std::size_t>(ConnectionState::kExiting) + 1);

}  // namespace

std::string_view to_string(ConnectionState state) {
  return kNames[static_cast<std::size_t>(state)];
}

std::optional<ConnectionState> parse_connection_state(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<ConnectionState>(i);
  }
  return std::nullopt;
}

}  // namespace ovpn
