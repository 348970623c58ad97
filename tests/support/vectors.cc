// SPDX-License-Identifier: Apache-2.0
#include "tests/support/vectors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace support {
namespace {

using nlohmann::json;

std::string vectors_folder() { return std::string(TUNCTL_SOURCE_DIR) + "/tests/vectors"; }

base::Bytes hex_of(const json& from, const char* name) {
  if (!from.contains(name) || from[name].is_null()) return {};
  return base::from_hex(from[name].get<std::string>()).value();
}

std::string text_of(const json& from, const char* name) {
  return from.contains(name) && from[name].is_string() ? from[name].get<std::string>() : "";
}

StaticVector vector_of(const json& from) {
  StaticVector vector;
  vector.name = text_of(from, "name");
  vector.kind = text_of(from, "kind");
  if (!from["sender_key_direction"].is_null()) {
    vector.sender_key_direction = from["sender_key_direction"].get<int>();
  }
  vector.tcp = text_of(from, "proto").starts_with("tcp");
  vector.replay = from["replay"].get<bool>();
  vector.fragment = from["fragment"].get<bool>();
  vector.cipher = text_of(from, "cipher");
  vector.auth = text_of(from, "auth");
  vector.compression = text_of(from, "compression");
  vector.key_file = text_of(from, "key_file");
  vector.wire = hex_of(from, "wire_hex");
  if (vector.tcp) vector.wire.erase(vector.wire.begin(), vector.wire.begin() + 2);
  vector.payload = hex_of(from, "decrypted_payload_hex");
  vector.plain = hex_of(from, "plain_hex");
  const json& fields = from["fields"];
  vector.iv = hex_of(fields, "iv_hex");
  vector.hmac = hex_of(fields, "hmac_hex");
  vector.packet_id = {wire::PacketId{fields.value("packet_id", 0u)},
                      wire::PacketTime{fields.value("packet_time", 0u)}};
  vector.config_a = from["config_a"].get<std::vector<std::string>>();
  return vector;
}

TlsVector tls_vector_of(const json& file, const json& from) {
  TlsVector vector;
  vector.from_client = text_of(from, "direction") == "client->server";
  vector.cipher = text_of(from.contains("cipher") ? from : file, "cipher");
  vector.auth = from.contains("auth") ? text_of(from, "auth") : "SHA1";
  vector.key2 = hex_of(from.contains("key2_hex") ? from : file, "key2_hex");
  vector.wire = hex_of(from, "wire_hex");
  vector.plain = hex_of(from, "plain_hex");
  const json fields = from.value("fields", json::object());
  vector.epoch_format = fields.contains("epoch");
  vector.number =
      vector.epoch_format
          ? fields["epoch"].get<std::uint64_t>() << 48 | fields["counter"].get<std::uint64_t>()
          : fields.value("packet_id", std::uint64_t{1});  // each begins to count
  vector.epoch_secret = hex_of(fields, "epoch_secret_hex");
  vector.data_key = hex_of(fields, "data_key_hex");
  vector.data_iv = hex_of(fields, "data_iv_hex");
  return vector;
}

json read_json(const std::string& file_name) {
  std::ifstream file(vectors_folder() + "/" + file_name);
  return json::parse(file);
}

std::vector<std::string> files_that_begin(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_folder())) {
    const std::string name = entry.path().filename();
    if (name.starts_with(prefix) && name.ends_with(".json")) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<TlsVector> load_tls_vectors(const std::string& file_name) {
  const json file = read_json(file_name);
  std::vector<TlsVector> vectors;
  for (const json& entry : file["data"]) vectors.push_back(tls_vector_of(file, entry));
  return vectors;
}

std::vector<StaticVector> load_static_vectors(const std::string& file_name) {
  std::vector<StaticVector> vectors;
  for (const json& entry : read_json(file_name)) vectors.push_back(vector_of(entry));
  return vectors;
}

std::vector<CompressionVector> load_compression_vectors() {
  std::vector<CompressionVector> vectors;
  for (const json& entry : read_json("compression.json")) {
    vectors.push_back({text_of(entry, "framing"), hex_of(entry, "wire_hex"),
                       entry["plain_bytes"].get<std::size_t>(), text_of(entry, "plain_sha256")});
  }
  return vectors;
}

std::vector<std::string> static_vector_files() { return files_that_begin("static_"); }
std::vector<std::string> tls_vector_files() { return files_that_begin("tls_"); }

}  // namespace support
