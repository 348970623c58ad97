// SPDX-License-Identifier: Apache-2.0
#include "fastpath/packet/drop_reason.h"

namespace packet {

std::string_view to_string(DropReason reason) {
  switch (reason) {
    case DropReason::kNone:
      return "none";
    case DropReason::kAuthFailed:
      return "auth-failed";
    case DropReason::kTooShort:
      return "too-short";
    case DropReason::kReplayed:
      return "replayed";
    case DropReason::kTimeBackwards:
      return "time-backwards";
    case DropReason::kReflected:
      return "reflected";
    case DropReason::kStranger:
      return "stranger";
    case DropReason::kBadFraming:
      return "bad-framing";
    case DropReason::kBadCompression:
      return "bad-compression";
    case DropReason::kNotIp:
      return "not-ip";
    case DropReason::kTruncated:
      return "truncated";
    case DropReason::kTooLong:
      return "too-long";
    case DropReason::kNoPeer:
      return "no-peer";
    case DropReason::kOwnPacket:
      return "own-packet";
    case DropReason::kPacketIdExhausted:
      return "packet-id-exhausted";
    case DropReason::kNoKey:
      return "no-key";
    case DropReason::kKeyWornOut:
      return "key-worn-out";
    case DropReason::kBadOpcode:
      return "bad-opcode";
    case DropReason::kControlOverflow:
      return "control-overflow";
    case DropReason::kBadFragment:
      return "bad-fragment";
    case DropReason::kIncomplete:
      return "incomplete";
    case DropReason::kSendFailed:
      return "send-failed";
    case DropReason::kTunFailed:
      return "tun-failed";
    case DropReason::kCount:
      break;
  }
  return "unknown";
}

}  // namespace packet
