// SPDX-License-Identifier: Apache-2.0
// The captures ctrl_* in tests/vectors: the first control packets of OpenVPN 2.6 clients and
// servers, under every wrapping; and what tls_* tell about the keys that came of handshakes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace support {

struct ControlVector {
  std::string name;
  bool from_client = false;
  std::vector<std::string> config_client;
  std::map<std::string, std::string> key_files;
  base::Bytes wire, wrapped_key, payload;
  unsigned opcode = 0, key_id = 0;
  base::Bytes session_id, acked_session;
  std::vector<std::uint32_t> acks;
  std::optional<std::uint32_t> message_id, replay_packet_id, replay_time;

  // The words behind `directive` in the client's config; nothing: it is not there.
  std::optional<std::string> client_option(const std::string& directive) const;
};

struct PrfVector {
  std::string name;
  base::Bytes pre_master, client_random1, client_random2, server_random1, server_random2;
  base::Bytes client_session, server_session, key2;
};

std::vector<std::string> control_vector_files();  // all names, sorted
std::vector<ControlVector> load_control_vectors(const std::string& file_name);
std::vector<PrfVector> load_prf_vectors();
// All control texts and options strings of real servers.
std::vector<std::string> load_server_texts();

}  // namespace support
