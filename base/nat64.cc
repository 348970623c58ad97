// SPDX-License-Identifier: Apache-2.0
#include "base/nat64.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

namespace base {
namespace {

// RFC 6052 section 2.2: behind a prefix of so many bits the four bytes follow, but for byte 8,
// which is always zero.
struct Layout {
  int prefix_bits;
  std::array<std::size_t, 4> at;
};
constexpr std::array<Layout, 6> kLayouts{{{32, {4, 5, 6, 7}},
                                          {40, {5, 6, 7, 9}},
                                          {48, {6, 7, 9, 10}},
                                          {56, {7, 9, 10, 11}},
                                          {64, {9, 10, 11, 12}},
                                          {96, {12, 13, 14, 15}}}};
constexpr std::size_t kZeroByte = 8;

// RFC 7050 section 2.2: 192.0.0.170 and 192.0.0.171.
bool is_known(const std::array<std::uint8_t, 4>& bytes) {
  return bytes[0] == 192 && bytes[1] == 0 && bytes[2] == 0 && (bytes[3] == 170 || bytes[3] == 171);
}

bool holds_known(const IpAddress& answer, const Layout& layout) {
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = answer.bytes()[layout.at[i]];
  return is_known(bytes) && (layout.prefix_bits == 96 || answer.bytes()[kZeroByte] == 0);
}

Prefix front_of(const IpAddress& answer, int bits) {
  std::array<std::uint8_t, 16> bytes{};
  std::ranges::copy(answer.bytes().first(static_cast<std::size_t>(bits) / 8), bytes.begin());
  return {IpAddress::from_bytes(bytes), bits};
}

}  // namespace

std::optional<Prefix> nat64_prefix(const std::vector<IpAddress>& answers) {
  for (const IpAddress& answer : answers) {
    if (answer.is_v4()) continue;
    const auto fits = [&](const Layout& layout) { return holds_known(answer, layout); };
    if (std::ranges::count_if(kLayouts, fits) != 1) continue;  // none, or it could be either
    return front_of(answer, std::ranges::find_if(kLayouts, fits)->prefix_bits);
  }
  return std::nullopt;
}

IpAddress nat64_address(const Prefix& prefix, const IpAddress& address) {
  const auto layout = std::ranges::find(kLayouts, prefix.length, &Layout::prefix_bits);
  if (layout == kLayouts.end() || prefix.address.is_v4() || !address.is_v4()) std::abort();
  std::array<std::uint8_t, 16> bytes{};
  std::ranges::copy(prefix.address.bytes().first(static_cast<std::size_t>(prefix.length) / 8),
                    bytes.begin());
  for (std::size_t i = 0; i < layout->at.size(); ++i) bytes[layout->at[i]] = address.bytes()[i];
  return IpAddress::from_bytes(bytes);
}

}  // namespace base
