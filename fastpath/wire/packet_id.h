// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: the long-form packet id of static-key mode, 8 bytes on the wire.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

namespace wire {

// Counts packets from 1 under one PacketTime; 0 is never sent.
enum class PacketId : std::uint32_t {};
// UNIX seconds at which the sender began to count; grows with every restart of the sender.
enum class PacketTime : std::uint32_t {};

inline constexpr PacketId kPacketIdMax{0xFFFFFFFFu};

struct LongPacketId {
  PacketId id{};
  PacketTime time{};

  friend bool operator==(const LongPacketId&, const LongPacketId&) = default;
};

constexpr std::uint32_t value(PacketId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t value(PacketTime time) { return static_cast<std::uint32_t>(time); }

// The id comes first on the wire, so the eight bytes do not sort in sending order.
inline constexpr std::size_t kLongPacketIdBytes = sizeof(std::uint32_t) + sizeof(std::uint32_t);
static_assert(kLongPacketIdBytes == 8);

// Both want at least kLongPacketIdBytes.
inline LongPacketId load_long_packet_id(const std::uint8_t* from) {
  return {PacketId{base::load_be32(from)}, PacketTime{base::load_be32(from + 4)}};
}
inline void store_long_packet_id(std::uint8_t* to, const LongPacketId& packet_id) {
  base::store_be32(to, value(packet_id.id));
  base::store_be32(to + 4, value(packet_id.time));
}

// As one number that sorts in sending order.
constexpr std::uint64_t as_number(const LongPacketId& packet_id) {
  return std::uint64_t{value(packet_id.time)} << 32 | value(packet_id.id);
}
constexpr LongPacketId long_packet_id(std::uint64_t number) {
  return {PacketId{static_cast<std::uint32_t>(number)},
          PacketTime{static_cast<std::uint32_t>(number >> 32)}};
}

}  // namespace wire
