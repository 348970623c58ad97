// SPDX-License-Identifier: Apache-2.0
// The captures in tests/vectors: datagrams that two OpenVPN 2.6 processes sent each other under a
// static key, with what is inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "fastpath/wire/packet_id.h"

namespace support {

struct StaticVector {
  std::string name, kind;  // "ip", "ping", "occ_request", "occ_reply", "occ_exit", "fragment"
  std::optional<int> sender_key_direction;
  bool tcp = false, replay = true, fragment = false;
  std::string cipher, auth, compression;  // as in the config; compression empty: none
  std::string key_file;
  base::Bytes wire;     // without TCP's length
  base::Bytes payload;  // framed, behind the packet id
  base::Bytes plain;    // IP packet or message
  base::Bytes iv, hmac;
  wire::LongPacketId packet_id;
  std::vector<std::string> config_a;
};

// Data packets of a client and a real server in TLS mode, with the key material of the handshake
// before them. Those under an epoch that the receiver has left or cannot know yet were not
// answered.
struct TlsVector {
  bool from_client = false;
  std::string cipher, auth;
  bool epoch_format = false;
  base::Bytes key2;          // 256 bytes: client's cipher and HMAC block, then the server's
  base::Bytes wire;          // from the opcode byte on
  base::Bytes plain;         // the payload, which had no framing
  std::uint64_t number = 0;  // packet id, with the epoch in front where there is one
  base::Bytes epoch_secret, data_key, data_iv;  // of the packet's epoch, sender's direction
};

// Framed payloads that OpenVPN 2.6 with `allow-compression yes` sent for packets of many kinds,
// with tunnel MTUs up to 60000, so that every way to compress comes about.
struct CompressionVector {
  std::string framing;  // "comp-lzo", "compress lz4", "compress lz4-v2"
  base::Bytes payload;  // framed
  std::size_t plain_bytes = 0;
  std::string plain_sha256;  // hex
};
std::vector<CompressionVector> load_compression_vectors();

std::vector<TlsVector> load_tls_vectors(const std::string& file_name);
std::vector<std::string> tls_vector_files();  // all names, sorted

std::vector<StaticVector> load_static_vectors(const std::string& file_name);
std::vector<std::string> static_vector_files();  // all names, sorted

}  // namespace support
