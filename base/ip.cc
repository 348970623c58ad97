// SPDX-License-Identifier: Apache-2.0
#include "base/ip.h"

#include <arpa/inet.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/text.h"

namespace base {

IpAddress IpAddress::v4(std::uint32_t host_order) {
  IpAddress address;
  store_be32(address.bytes_.data(), host_order);
  return address;
}

IpAddress IpAddress::from_bytes(ByteSpan bytes) {
  if (bytes.size() != 4 && bytes.size() != 16) std::abort();
  IpAddress address;
  address.family_ = bytes.size() == 4 ? IpFamily::kIpv4 : IpFamily::kIpv6;
  std::copy(bytes.begin(), bytes.end(), address.bytes_.begin());
  return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string terminated(text);
  std::array<std::uint8_t, 16> bytes{};
  if (::inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) {
    return from_bytes({bytes.data(), 4});
  }
  if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return from_bytes(bytes);
  return std::nullopt;
}

std::uint32_t IpAddress::v4_value() const {
  if (!is_v4()) std::abort();
  return load_be32(bytes_.data());
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
  return text.data();
}

IpAddress IpAddress::unmapped() const {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (is_v4() || !std::equal(kMapped.begin(), kMapped.end(), bytes_.begin())) return *this;
  return from_bytes({bytes_.data() + kMapped.size(), 4});
}

std::string Endpoint::to_string() const {
  const std::string host = address.to_string();
  return (address.is_v4() ? host : "[" + host + "]") + ":" + std::to_string(port);
}

std::optional<Prefix> Prefix::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  const int bits = address->is_v4() ? 32 : 128;
  if (slash == std::string_view::npos) return Prefix{*address, bits};
  const auto length = parse_number<int>(text.substr(slash + 1));
  if (!length || *length < 0 || *length > bits) return std::nullopt;
  return Prefix{*address, *length};
}

std::string Prefix::to_string() const { return address.to_string() + "/" + std::to_string(length); }

bool Prefix::contains(const IpAddress& other) const {
  if (other.family() != address.family()) return false;
  for (int bit = 0; bit < length; bit += 8) {
    const auto at = static_cast<std::size_t>(bit / 8);
    const int used = std::min(8, length - bit);
    const auto mask = static_cast<std::uint8_t>(0xff << (8 - used));
    if (((address.bytes()[at] ^ other.bytes()[at]) & mask) != 0) return false;
  }
  return true;
}

bool Prefix::overlaps(const Prefix& other) const {
  return length <= other.length ? contains(other.address) : other.contains(address);
}

std::optional<int> netmask_length(const IpAddress& mask) {
  if (!mask.is_v4()) return std::nullopt;
  const std::uint32_t value = mask.v4_value();
  const int ones = std::countl_one(value);
  if (ones != std::popcount(value)) return std::nullopt;
  return ones;
}

IpAddress netmask_of_length(int length) {
  return IpAddress::v4(length == 0 ? 0 : ~std::uint32_t{0} << (32 - length));
}

}  // namespace base
