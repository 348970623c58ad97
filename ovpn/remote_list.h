// SPDX-License-Identifier: Apache-2.0
// Whom a config wants to reach, from `remote` lines and `<connection>` blocks alike, and how the
// ports of both ends follow from `port`, `lport` and `rport`.
#pragma once

#include <string>
#include <vector>

#include "ovpn/directive.h"

namespace ovpn {

inline constexpr std::string_view kDefaultPort = "1194";
inline constexpr std::size_t kRemotesMax = 64;

struct Remote {
  std::string host;              // name or address, as written
  std::string port;              // as written, or `rport`'s, `port`'s, or the default
  std::string proto;             // as written, or `proto`'s, or "udp"
  std::vector<Directive> block;  // all lines of its <connection> block; empty for a bare `remote`
  base::Place place;

  friend bool operator==(const Remote&, const Remote&) = default;
};

// In the order written. As in stock, `remote` lines outside of blocks are not used once there is a
// block with a remote. Blocks without `remote` are dropped.
std::vector<Remote> remote_list(const Profile& profile);

std::string local_port(const Profile& profile);    // `lport`'s or `port`'s, else the default
std::string config_proto(const Profile& profile);  // `proto`'s, else "udp"
// Whether any try goes over UDP: a remote's own word counts before `proto`'s.
bool uses_udp(const Profile& profile);

}  // namespace ovpn
