// SPDX-License-Identifier: Apache-2.0
#include "ovpn/tunnel_kind.h"

namespace ovpn {
namespace {

DeviceType type_by_prefix(std::string_view name) {
  if (name.starts_with("tun")) return DeviceType::kTun;
  if (name.starts_with("tap")) return DeviceType::kTap;
  if (name.starts_with("null")) return DeviceType::kNull;
  return DeviceType::kUnknown;
}

}  // namespace

const Directive* tls_directive(const Profile& profile) {
  for (const std::string_view name :
       {"client", "pull", "tls-client", "tls-server", "server", "server-ipv6", "server-bridge"}) {
    if (const Directive* directive = profile.last(name)) return directive;
  }
  return nullptr;
}

TunnelMode tunnel_mode(const Profile& profile) {
  if (tls_directive(profile) != nullptr) return TunnelMode::kTls;
  return profile.has("secret") ? TunnelMode::kStaticKey : TunnelMode::kNull;
}

bool nothing_authenticates(const Profile& profile) {
  const TunnelMode mode = tunnel_mode(profile);
  if (mode != TunnelMode::kStaticKey) return mode == TunnelMode::kNull;
  const CipherName* cipher = configured_cipher(profile);
  const DigestName* digest = configured_digest(profile);
  return cipher != nullptr && cipher->is_none() && digest != nullptr && digest->is_none();
}

KeyDirection key_direction(const Profile& profile) {
  KeyDirection direction = KeyDirection::kBidirectional;
  for (const Directive& directive : profile.directives) {
    // `secret [inline] 0` beside a block, an old spelling, gives its direction here too.
    const std::size_t index = directive.name == "secret" ? 1 : 0;
    if (directive.name != "secret" && directive.name != "key-direction") continue;
    if (directive.args.size() <= index) continue;
    if (directive.args[index] == "0") direction = KeyDirection::kNormal;
    if (directive.args[index] == "1") direction = KeyDirection::kInverse;
  }
  return direction;
}

const CipherName* configured_cipher(const Profile& profile) {
  return find_cipher(profile.arg("cipher").value_or(std::string(kDefaultCipher)));
}

const DigestName* configured_digest(const Profile& profile) {
  return find_digest(profile.arg("auth").value_or(std::string(kDefaultDigest)));
}

DeviceType device_type(const Profile& profile) {
  if (const auto type = profile.arg("dev-type")) return type_by_prefix(*type);
  return type_by_prefix(profile.arg("dev").value_or(""));
}

}  // namespace ovpn
