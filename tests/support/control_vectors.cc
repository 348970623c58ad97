// SPDX-License-Identifier: Apache-2.0
#include "tests/support/control_vectors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace support {
namespace {

using nlohmann::json;

std::vector<std::string> files_with(const std::string& prefix) {
  std::vector<std::string> names;
  const std::string folder = std::string(TUNCTL_SOURCE_DIR) + "/tests/vectors";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(".json")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

json load(const std::string& file_name) {
  std::ifstream file(std::string(TUNCTL_SOURCE_DIR) + "/tests/vectors/" + file_name);
  return json::parse(file);
}

base::Bytes hex_of(const json& from, const char* name) {
  if (!from.contains(name) || from[name].is_null()) return {};
  return base::from_hex(from[name].get<std::string>()).value();
}

std::optional<std::uint32_t> number_of(const json& from, const char* name) {
  if (!from.contains(name) || from[name].is_null()) return std::nullopt;
  return from[name].get<std::uint32_t>();
}

ControlVector vector_of(const json& from) {
  const json& fields = from["fields"];
  ControlVector vector;
  vector.name = from["name"];
  vector.from_client = from["direction"] == "client->server";
  vector.config_client = from["config_client"];
  vector.key_files = from["key_files"];
  vector.wire = hex_of(from, "wire_hex");
  vector.wrapped_key = hex_of(fields, "wkc_hex");
  vector.payload = hex_of(fields, "payload_hex");
  vector.opcode = fields["opcode"];
  vector.key_id = fields["key_id"];
  vector.session_id = hex_of(fields, "session_id");
  vector.acked_session = hex_of(fields, "ack_remote_session_id");
  vector.acks = fields["acks"].get<std::vector<std::uint32_t>>();
  vector.message_id = number_of(fields, "message_id");
  vector.replay_packet_id = number_of(fields, "replay_packet_id");
  vector.replay_time = number_of(fields, "replay_time");
  return vector;
}

PrfVector prf_of(const std::string& name, const json& from) {
  return {.name = name,
          .pre_master = hex_of(from, "pre_master"),
          .client_random1 = hex_of(from, "client_random1"),
          .client_random2 = hex_of(from, "client_random2"),
          .server_random1 = hex_of(from, "server_random1"),
          .server_random2 = hex_of(from, "server_random2"),
          .client_session = hex_of(from, "client_session_id"),
          .server_session = hex_of(from, "server_session_id"),
          .key2 = hex_of(from, "key2_hex")};
}

}  // namespace

std::optional<std::string> ControlVector::client_option(const std::string& directive) const {
  for (const std::string& line : config_client) {
    if (line.starts_with(directive + " ")) return line.substr(directive.size() + 1);
  }
  return std::nullopt;
}

std::vector<std::string> control_vector_files() { return files_with("ctrl_"); }

std::vector<ControlVector> load_control_vectors(const std::string& file_name) {
  std::vector<ControlVector> vectors;
  for (const json& each : load(file_name)) vectors.push_back(vector_of(each));
  return vectors;
}

std::vector<PrfVector> load_prf_vectors() {
  std::vector<PrfVector> vectors;
  for (const std::string& name : files_with("tls_")) {
    const json all = load(name);
    for (const char* key : {"prf", "prf_reneg"}) {
      if (all.contains(key) && !all[key].is_null()) {
        vectors.push_back(prf_of(name + " " + key, all[key]));
      }
    }
  }
  return vectors;
}

std::vector<std::string> load_server_texts() {
  std::vector<std::string> texts;
  for (const std::string& name : files_with("tls_")) {
    const json all = load(name);
    if (!all.contains("messages")) continue;
    for (const json& text : all["messages"]) texts.push_back(text.get<std::string>());
  }
  return texts;
}

}  // namespace support
