// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/wrap_key.h"

#include <utility>

#include "base/error.h"
#include "ovpn/client_key.h"
#include "ovpn/static_key.h"

namespace control {
namespace {

[[noreturn]] void refuse(const config::ConfigFile& file, const std::string& why) {
  throw base::FatalError(file.shown() + ": " + why, crypto::kExitConfig);
}

base::SecretBytes static_key_of(const config::ConfigFile& file) {
  // A block's text begins on the line behind its tag.
  auto key = file.inlined()
                 ? ovpn::parse_static_key(file.place.file, file.text, file.place.line + 1)
                 : ovpn::parse_static_key(file.name, file.text);
  if (key) return std::move(key->bytes);
  base::Problem problem = key.error();
  if (problem.remedy == ovpn::kMakeStaticKey) problem.remedy = ovpn::kCopyStaticKey;
  throw base::FatalError(base::to_string(problem), crypto::kExitConfig);
}

void load_client_key(const config::ConfigFile& file, WrapKey& key) {
  const base::Place place = file.inlined() ? file.place : base::Place{file.name, 0, 0};
  auto client = ovpn::parse_client_key(place, file.text);
  if (!client) throw base::FatalError(base::to_string(client.error()), crypto::kExitConfig);
  key.key = std::move(client->key);
  key.wrapped = std::move(client->wrapped);
}

ovpn::KeyDirection direction_of(std::optional<int> direction) {
  if (!direction) return ovpn::KeyDirection::kBidirectional;
  return *direction == 0 ? ovpn::KeyDirection::kNormal : ovpn::KeyDirection::kInverse;
}

}  // namespace

WrapKey load_wrap_key(const config::WrapConfig& config, config::TlsRole role) {
  WrapKey key;
  key.kind = config.kind;
  switch (config.kind) {
    case config::ControlWrap::kNone:
      break;
    case config::ControlWrap::kTlsAuth:
      if (config.digest == "none") {
        refuse(config.key, "tls-auth needs a digest, and auth is none; write auth SHA256");
      }
      key.key = static_key_of(config.key);
      key.digest = config.digest;
      key.direction = direction_of(config.direction);
      break;
    case config::ControlWrap::kTlsCrypt:
      key.key = static_key_of(config.key);
      break;
    case config::ControlWrap::kTlsCryptV2:
      if (role == config::TlsRole::kServer) {
        refuse(config.key, "tls-crypt-v2 on the server's end is not supported; write tls-crypt");
      }
      load_client_key(config.key, key);
      break;
  }
  return key;
}

std::unique_ptr<PacketWrap> WrapKey::wrap(crypto::Library& library, config::TlsRole role) const {
  switch (kind) {
    case config::ControlWrap::kNone:
      return plain_wrap();
    case config::ControlWrap::kTlsAuth:
      return tls_auth_wrap(library, digest, key.view(), direction);
    case config::ControlWrap::kTlsCrypt:
    case config::ControlWrap::kTlsCryptV2:
      break;
  }
  return tls_crypt_wrap(library, key.view(), role);
}

base::SecretBytes WrapKey::dynamic_key(base::ByteSpan exported) const {
  base::SecretBytes mixed(exported);
  for (std::size_t i = 0; i < key.size() && i < mixed.size(); ++i) {
    mixed.mutable_view()[i] ^= key.view()[i];
  }
  return mixed;
}

}  // namespace control
