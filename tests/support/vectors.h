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

std::vector<StaticVector> load_static_vectors(const std::string& file_name);
std::vector<std::string> static_vector_files();  // all names, sorted

}  // namespace support
