// SPDX-License-Identifier: Apache-2.0
// IP addresses, endpoints and prefixes as values; no resolver and no socket in here.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace base {

enum class IpFamily : std::uint8_t { kIpv4, kIpv6 };

class IpAddress {
 public:
  IpAddress() = default;  // 0.0.0.0
  static IpAddress v4(std::uint32_t host_order);
  static IpAddress from_bytes(ByteSpan bytes);  // 4 or 16 bytes in network order; others abort
  static std::optional<IpAddress> parse(std::string_view text);  // inet_pton's spelling, no scope

  IpFamily family() const { return family_; }
  bool is_v4() const { return family_ == IpFamily::kIpv4; }
  std::uint32_t v4_value() const;  // host order; IPv4 only
  ByteSpan bytes() const { return {bytes_.data(), is_v4() ? 4u : 16u}; }
  std::string to_string() const;
  // ::ffff:1.2.3.4, as a dual-stack socket reports an IPv4 peer, becomes 1.2.3.4.
  IpAddress unmapped() const;

  friend auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  IpFamily family_ = IpFamily::kIpv4;
  std::array<std::uint8_t, 16> bytes_{};
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;  // host order

  std::string to_string() const;  // 10.0.0.1:2011, [fd00::1]:2011
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

struct Prefix {
  IpAddress address;
  int length = 0;  // bits

  // "10.0.0.0/24", "fd00::/64"; without a length the whole address. Host bits may be set.
  static std::optional<Prefix> parse(std::string_view text);
  std::string to_string() const;
  bool contains(const IpAddress& other) const;
  bool overlaps(const Prefix& other) const;
  friend auto operator<=>(const Prefix&, const Prefix&) = default;
};

// 255.255.255.0 -> 24; nothing if the ones are not all in front.
std::optional<int> netmask_length(const IpAddress& mask);
IpAddress netmask_of_length(int length);  // IPv4, 0..32

}  // namespace base
