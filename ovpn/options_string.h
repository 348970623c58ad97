// SPDX-License-Identifier: Apache-2.0
// The text by which two ends tell each other their options (OpenVPN protocol: OCC options string),
// for tunnels without TLS. A difference never stops a tunnel; it explains one that stays dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ovpn/static_key.h"

namespace ovpn {

struct OccValues {
  std::string dev_type = "tun";  // or "null"
  int link_mtu = 0;              // see occ_link_mtu()
  int tun_mtu = 1500;
  std::string proto = "UDPv4";  // or TCPv4_CLIENT, TCPv4_SERVER; "v4" also over IPv6
  bool ifconfig_ipv6 = false;
  std::string ifconfig_local;  // both empty: no `ifconfig`, or ifconfig-nowarn
  std::string ifconfig_remote;
  bool framing = false;  // any of comp-lzo and compress, stub-v2 too
  bool fragment = false;
  // The rest is told by static-key tunnels only.
  bool secret = true;
  KeyDirection key_direction = KeyDirection::kBidirectional;
  std::string cipher = "BF-CBC";  // "none" is told as [null-cipher]
  int cipher_key_bytes = 16;
  std::string digest = "SHA1";  // "none" is told as [null-digest]
  bool no_replay = false;
};

// What this end sends in its OCC REPLY, without the NUL that ends it there. The addresses of
// `ifconfig` come remote first: the text says what the peer's own config should hold.
std::string options_string(const OccValues& values);
// What a peer that fits sends.
std::string expected_options_string(const OccValues& values);

struct OptionDifference {
  std::string name;      // "cipher"
  std::string expected;  // "AES-256-CBC"; empty: the peer should not have it
  std::string received;  // empty: the peer does not have it

  friend bool operator==(const OptionDifference&, const OptionDifference&) = default;
};
// In the order of the expected text. link-mtu is left out: it only follows from the others and
// differs between releases. A peer whose text does not begin with "V4" tells nothing.
std::vector<OptionDifference> compare_options(std::string_view expected, std::string_view received);
// "cipher is AES-128-CBC there and AES-256-CBC here"
std::string to_string(const OptionDifference& difference);

}  // namespace ovpn
