// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace packet {

// Why a packet went no further. Every drop in the engine has one of these and is counted under it.
enum class DropReason : std::uint8_t {
  kNone,               // not dropped
  kAuthFailed,         // HMAC or padding wrong: key, direction, cipher or auth differ
  kTooShort,           // shorter than its layout's fixed parts
  kReplayed,           // packet id seen before, or outside the replay window
  kTimeBackwards,      // packet id's time is older than the newest accepted
  kReflected,          // our own packet, sent back to us
  kStranger,           // source is not one of the configured remotes
  kBadFraming,         // compression byte that this config does not speak
  kBadCompression,     // a compressed payload that does not unpack, or to too much
  kNotIp,              // neither IPv4 nor IPv6: never written to the tun
  kTruncated,          // larger than any datagram this tunnel may carry
  kTooLong,            // does not fit the tunnel's MTU or the slot
  kNoPeer,             // nobody to send to yet
  kOwnPacket,          // a packet of this link itself, which a route led into the tunnel
  kPacketIdExhausted,  // 2^32-1 packets under one packet-id time or key
  kNoKey,              // TLS mode: no key with this key id, or none yet to send under
  kKeyWornOut,         // too many forgeries were tried under this key
  kBadOpcode,          // TLS mode: a first byte that no version of OpenVPN sends
  kControlOverflow,    // more control packets at once than any handshake sends
  kBadFragment,        // `fragment`: a header that makes no sense, or more than a packet may be
  kIncomplete,         // `fragment`: a packet of which not all pieces came
  kSendFailed,         // the socket refused it
  kTunFailed,          // the tun refused it
  kCount
};

inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);

std::string_view to_string(DropReason reason);  // "auth-failed", as status and SIGUSR2 print it

// One per worker, written by that worker only; readers on other threads copy under the engine's
// rules.
using DropCounters = std::array<std::uint64_t, kDropReasons>;

}  // namespace packet
