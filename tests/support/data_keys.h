// SPDX-License-Identifier: Apache-2.0
// Keys of a TLS data channel for tests: the same bytes for all, turned to either end.
#pragma once

#include <string>

#include "fastpath/crypto/data_keys.h"

namespace support {

// `key2` as the handshake makes it: client's cipher and HMAC block, then the server's.
inline crypto::DataKeys data_keys(base::ByteSpan key2, bool client) {
  const auto block = [&](std::size_t index) {
    return base::SecretBytes(key2.subspan(64 * (client ? index : (index + 2) % 4), 64));
  };
  crypto::DataKeys keys;
  keys.send_cipher = block(0);
  keys.send_hmac = block(1);
  keys.receive_cipher = block(2);
  keys.receive_hmac = block(3);
  return keys;
}

struct DataChannel {
  std::string name = {};
  crypto::DataFormat format = crypto::DataFormat::kAead;
  std::string cipher = "AES-256-GCM", auth = "SHA1";
  bool peer_id = true;

  bool authenticated() const { return format != crypto::DataFormat::kCbc || auth != "none"; }
};

inline std::vector<DataChannel> all_data_channels() {
  using crypto::DataFormat;
  return {
      {"Gcm256", DataFormat::kAead, "AES-256-GCM", "none", true},
      {"Gcm256V1", DataFormat::kAead, "AES-256-GCM", "none", false},
      {"Gcm192", DataFormat::kAead, "AES-192-GCM", "none", true},
      {"Gcm128", DataFormat::kAead, "AES-128-GCM", "none", true},
      {"ChaCha", DataFormat::kAead, "CHACHA20-POLY1305", "none", true},
      {"ChaChaV1", DataFormat::kAead, "CHACHA20-POLY1305", "none", false},
      {"EpochGcm256", DataFormat::kEpoch, "AES-256-GCM", "none", true},
      {"EpochGcm128", DataFormat::kEpoch, "AES-128-GCM", "none", true},
      {"EpochChaCha", DataFormat::kEpoch, "CHACHA20-POLY1305", "none", true},
      {"Cbc", DataFormat::kCbc, "AES-256-CBC", "SHA256", true},
      {"CbcSha512V1", DataFormat::kCbc, "AES-128-CBC", "SHA512", false},
      {"CbcNoAuth", DataFormat::kCbc, "AES-256-CBC", "none", true},
      {"NoCipher", DataFormat::kCbc, "none", "SHA1", true},
      {"NoCipherNoAuth", DataFormat::kCbc, "none", "none", false},
  };
}

// Bytes that are a function of `seed`: keys of different seeds share nothing.
inline crypto::DataKeys data_keys(const DataChannel& channel, bool client, std::uint8_t key_id = 0,
                                  std::uint8_t seed = 1) {
  base::Bytes key2(256);
  for (std::size_t i = 0; i < key2.size(); ++i) {
    key2[i] = static_cast<std::uint8_t>(i * 7 + seed * 31 + 5);
  }
  crypto::DataKeys keys = data_keys(key2, client);
  keys.key_id = key_id;
  keys.format = channel.format;
  keys.cipher = channel.cipher;
  keys.auth = channel.auth;
  if (channel.peer_id) keys.peer_id = 0x010203;
  return keys;
}

}  // namespace support
