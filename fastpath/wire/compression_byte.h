// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: the bytes by which compression framings mark a payload.
#pragma once

#include <cstdint>

namespace wire {

inline constexpr std::uint8_t kNotCompressed = 0xFA;      // comp-lzo: payload follows
inline constexpr std::uint8_t kNotCompressedSwap = 0xFB;  // compress: payload[0] moved to the end
inline constexpr std::uint8_t kLzoCompressed = 0x66;
inline constexpr std::uint8_t kLz4Compressed = 0x69;
// The v2 framings leave a payload as it is unless it begins with this byte, which no IP packet
// does; then an algorithm byte follows.
inline constexpr std::uint8_t kV2Indicator = 0x50;
inline constexpr std::uint8_t kV2Uncompressed = 0x00;
inline constexpr std::uint8_t kV2Lz4 = 0x01;

}  // namespace wire
