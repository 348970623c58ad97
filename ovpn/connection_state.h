// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace ovpn {

// OpenVPN's own state names, as its management interface prints them after ">STATE:".
enum class ConnectionState {
  kInitial,  // "INITIAL": process is up, nothing is done yet
  kConnecting,
  kResolve,
  kTcpConnect,
  kWait,
  kAuth,
  kAuthPending,
  kGetConfig,
  kAssignIp,  // static-key p2p: everything stands, the peer has not been heard
  kAddRoutes,
  kConnected,  // something authenticated came back from the peer
  kReconnecting,
  kExiting,
};

std::string_view to_string(ConnectionState state);  // "CONNECTED"
std::optional<ConnectionState> parse_connection_state(std::string_view text);

}  // namespace ovpn
