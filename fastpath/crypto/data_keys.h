// SPDX-License-Identifier: Apache-2.0
// The value that goes from the handshake to the data channel: what both ends agreed on for one key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/secret_bytes.h"

namespace crypto {

// How packets under these keys are laid out (OpenVPN protocol: data channel in TLS mode).
enum class DataFormat {
  kCbc,    // IV, HMAC, short packet id inside
  kAead,   // 2.4 and later: packet id and implicit IV make the nonce
  kEpoch,  // 2.7: 64-bit packet id with an epoch, keys evolve
};

// One key slot, already turned to this end's directions. Move only, wiped when destroyed.
struct DataKeys {
  std::uint8_t key_id = 0;  // 0..7, three bits on the wire
  DataFormat format = DataFormat::kAead;
  std::string cipher;  // "AES-256-GCM", "AES-256-CBC", "none"
  std::string auth;    // HMAC digest, kCbc only
  // P_DATA_V2 with this peer-id when set, else P_DATA_V1; 24 bits.
  std::optional<std::uint32_t> peer_id;
  // 64 bytes each (the blocks of key2), of which cipher and digest take what they need from the
  // front. kEpoch: the first 32 bytes of each cipher block are the epoch-1 secret, hmac is empty.
  base::SecretBytes send_cipher, send_hmac, receive_cipher, receive_hmac;
};

}  // namespace crypto
