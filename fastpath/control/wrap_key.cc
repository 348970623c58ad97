// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/wrap_key.h"

#include "base/base64.h"
#include "base/error.h"

namespace control {
namespace {

constexpr std::string_view kClientKeyBegin = "-----BEGIN OpenVPN tls-crypt-v2 client key-----";
constexpr std::string_view kClientKeyEnd = "-----END OpenVPN tls-crypt-v2 client key-----";
constexpr std::string_view kServerKeyBegin = "-----BEGIN OpenVPN tls-crypt-v2 server key-----";

[[noreturn]] void refuse(const config::ConfigFile& file, const std::string& why) {
  throw base::FatalError(file.name + ": " + why, crypto::kExitConfig);
}

base::SecretBytes static_key_of(const config::ConfigFile& file) {
  auto key = ovpn::parse_static_key(file.name, file.text);
  if (!key) throw base::FatalError(base::to_string(key.error()), crypto::kExitConfig);
  return std::move(key->bytes);
}

bool has_length_of_itself(base::ByteSpan wrapped) {
  return wrapped.size() >= kWrappedKeyBytesMin && wrapped.size() <= kWrappedKeyBytesMax &&
         base::load_be16(wrapped.data() + wrapped.size() - 2) == wrapped.size();
}

void load_client_key(const config::ConfigFile& file, WrapKey& key) {
  const std::string_view text = file.text;
  const auto begin = text.find(kClientKeyBegin);
  if (begin == std::string_view::npos) {
    refuse(file, text.find(kServerKeyBegin) != std::string_view::npos
                     ? "is the server's tls-crypt-v2 key, which must never leave the server; ask "
                       "its admin for a client key"
                     : "holds no tls-crypt-v2 client key; it begins with '" +
                           std::string(kClientKeyBegin) + "'");
  }
  const auto from = begin + kClientKeyBegin.size();
  const auto end = text.find(kClientKeyEnd, from);
  auto bytes = end == std::string_view::npos ? std::nullopt
                                             : base::from_base64(text.substr(from, end - from));
  if (!bytes || bytes->size() < ovpn::kStaticKeyBytes ||
      !has_length_of_itself(base::ByteSpan(*bytes).subspan(ovpn::kStaticKeyBytes))) {
    refuse(file, "the tls-crypt-v2 client key is damaged; copy the file again, or ask for another");
  }
  const base::SecretBytes all{base::ByteSpan(*bytes)};
  ::explicit_bzero(bytes->data(), bytes->size());
  key.key = base::SecretBytes(all.view().first(ovpn::kStaticKeyBytes));
  const base::ByteSpan wrapped = all.view().subspan(ovpn::kStaticKeyBytes);
  key.wrapped.assign(wrapped.begin(), wrapped.end());
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
