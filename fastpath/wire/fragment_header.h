// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: fragment header, four bytes in front of a framed payload, inside the
// encryption. From the least significant bit:
//
//   2 kind | 8 sequence | 5 index | 14 piece size / 4, in the last piece only | 3 zero
#pragma once

#include <cstddef>
#include <cstdint>

namespace wire {

enum class FragmentKind : std::uint8_t {
  kWhole = 0,  // everything else is 0
  kMore = 1,   // a piece that is not the last; its own size is the piece size
  kLast = 2,
  kTest = 3,  // never sent
};

inline constexpr std::size_t kFragmentHeaderBytes = 4;
inline constexpr std::size_t kFragmentsMax = 32;  // of one packet
inline constexpr std::size_t kFragmentUnit = 4;   // piece sizes are multiples of it
inline constexpr std::size_t kFragmentSizeMax = ((1u << 14) - 1) * kFragmentUnit;

struct FragmentHeader {
  FragmentKind kind = FragmentKind::kWhole;
  std::uint8_t sequence = 0;  // counts packets that were cut up
  std::uint8_t index = 0;     // of the piece, from 0
  std::uint16_t size = 0;     // of each piece but the last, in bytes; only with kLast

  friend bool operator==(const FragmentHeader&, const FragmentHeader&) = default;
};

constexpr FragmentHeader decode_fragment_header(std::uint32_t bits) {
  return {FragmentKind{static_cast<std::uint8_t>(bits & 0x3)},
          static_cast<std::uint8_t>(bits >> 2 & 0xff), static_cast<std::uint8_t>(bits >> 10 & 0x1f),
          static_cast<std::uint16_t>((bits >> 15 & 0x3fff) * kFragmentUnit)};
}
constexpr std::uint32_t encode(const FragmentHeader& header) {
  return static_cast<std::uint32_t>(header.kind) | std::uint32_t{header.sequence} << 2 |
         std::uint32_t{header.index} << 10 |
         static_cast<std::uint32_t>(header.size / kFragmentUnit) << 15;
}

static_assert(encode({}) == 0);
static_assert(decode_fragment_header(encode({FragmentKind::kLast, 0xab, 31, 432})) ==
              FragmentHeader{FragmentKind::kLast, 0xab, 31, 432});

}  // namespace wire
