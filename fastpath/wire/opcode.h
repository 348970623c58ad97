// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: the first byte of every packet in TLS mode, five bits of opcode and three of
// key id.
#pragma once

#include <cstdint>

namespace wire {

enum class Opcode : std::uint8_t {
  kSoftResetV1 = 3,
  kControlV1 = 4,
  kAckV1 = 5,
  kDataV1 = 6,
  kHardResetClientV2 = 7,
  kHardResetServerV2 = 8,
  kDataV2 = 9,
  kHardResetClientV3 = 10,  // tls-crypt-v2
  kControlWkcV1 = 11,       // tls-crypt-v2, the answer to a cookie
};

inline constexpr unsigned kKeyIdBits = 3;
inline constexpr std::uint8_t kKeyIdMax = (1u << kKeyIdBits) - 1;

// Every value of a byte has an opcode and a key id; whether the opcode is one of the above is the
// reader's to judge.
constexpr Opcode opcode_of(std::uint8_t first_byte) {
  return Opcode{static_cast<std::uint8_t>(first_byte >> kKeyIdBits)};
}
constexpr std::uint8_t key_id_of(std::uint8_t first_byte) { return first_byte & kKeyIdMax; }
constexpr std::uint8_t first_byte(Opcode opcode, std::uint8_t key_id) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(opcode) << kKeyIdBits | key_id);
}
constexpr bool is_data(Opcode opcode) {
  return opcode == Opcode::kDataV1 || opcode == Opcode::kDataV2;
}

// What a handshake may hold. 1 and 2 were its resets before OpenVPN 2, which nobody speaks.
constexpr bool is_control(Opcode opcode) {
  return opcode >= Opcode::kSoftResetV1 && opcode <= Opcode::kControlWkcV1 && !is_data(opcode);
}

static_assert(first_byte(Opcode::kDataV2, 0) == 0x48);  // as captures show
static_assert(first_byte(Opcode::kHardResetClientV2, 0) == 0x38);

}  // namespace wire
