// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/tls_options.h"

#include <algorithm>

#include "ovpn/cipher_name.h"

namespace engine {
namespace {

using ovpn::CipherMode;

constexpr int kOpcodeBytes = 1;  // the peer-id is not known yet
constexpr int kPacketIdBytes = 4;
constexpr int kTagBytes = 16;
constexpr int kNonceBytes = 12;
constexpr int kAeadBlockBytes = 16;  // of AES-GCM; ChaCha has none
constexpr int kLengthBytes = 2;      // over TCP
constexpr int kFragmentBytes = 4;

struct Cipher {
  std::string name;
  const ovpn::CipherName* known = nullptr;
  int digest_bytes = 0;
};

Cipher cipher_of(const config::TlsConfig& tls) {
  Cipher cipher{tls.negotiation.occ_cipher, ovpn::find_cipher(tls.negotiation.occ_cipher), 0};
  if (const auto* digest = ovpn::find_digest(tls.negotiation.auth)) {
    cipher.digest_bytes = digest->bytes;
  }
  return cipher;
}

// What stock counts, which is more than any packet has.
int cipher_bytes(const Cipher& cipher) {
  const CipherMode mode = cipher.known != nullptr ? cipher.known->mode : CipherMode::kCbc;
  if (mode == CipherMode::kAead) {
    const bool has_block = !cipher.name.starts_with("CHACHA");
    return kPacketIdBytes + kTagBytes + kNonceBytes + (has_block ? kAeadBlockBytes : 1);
  }
  const int plain = kPacketIdBytes + cipher.digest_bytes;
  if (mode == CipherMode::kNone) return plain;
  const int block = cipher.known != nullptr ? cipher.known->block_bytes : 8;
  return plain + 2 * block;
}

bool says_cipher(const config::TlsConfig& tls) {
  if (!tls.pull.pull) return true;
  const auto& list = tls.negotiation.data_ciphers;
  return std::ranges::find(list, tls.negotiation.occ_cipher) != list.end();
}

std::string address_options(const config::TunnelConfig& config) {
  const config::DeviceConfig& device = config.device;
  if (config.tls->pull.pull) return "";
  std::string text;
  if (!device.ifconfig_ipv6_local.empty()) text += ",tun-ipv6";
  const bool tells = !device.ifconfig_local.empty() && !device.ifconfig_nowarn;
  if (!tells || device.topology_subnet) return text;
  return text + ",ifconfig " + device.ifconfig_remote_or_mask + " " + device.ifconfig_local;
}

std::string key_options(const config::TlsConfig& tls, const Cipher& cipher) {
  std::string text;
  if (tls.wrap.direction) text += ",keydir " + std::to_string(*tls.wrap.direction);
  const bool none = cipher.known != nullptr && cipher.known->mode == CipherMode::kNone;
  const bool aead = cipher.known != nullptr && cipher.known->mode == CipherMode::kAead;
  if (says_cipher(tls)) text += ",cipher " + (none ? "[null-cipher]" : cipher.name);
  text += ",auth ";
  text += aead || cipher.digest_bytes == 0 ? "[null-digest]" : tls.negotiation.auth;
  text += ",keysize " + std::to_string(cipher.known != nullptr ? 8 * cipher.known->key_bytes : 128);
  if (tls.wrap.kind == config::ControlWrap::kTlsAuth) text += ",tls-auth";
  text += ",key-method 2";
  return text + (tls.role == config::TlsRole::kClient ? ",tls-client" : ",tls-server");
}

}  // namespace

std::string tls_options_string(const config::TunnelConfig& config, config::Transport transport) {
  const config::TlsConfig& tls = *config.tls;
  const Cipher cipher = cipher_of(tls);
  const config::Framing framing = config.crypto.framing;
  const bool fragment = config.fragment.bytes > 0;
  int link_mtu = config.device.mtu + kOpcodeBytes + cipher_bytes(cipher);
  if (transport != config::Transport::kUdp) link_mtu += kLengthBytes;
  if (config::adds_byte(framing)) ++link_mtu;
  if (fragment) link_mtu += kFragmentBytes;
  std::string text = "V4,dev-type ";
  text += config.device.kind == config::DeviceKind::kNull ? "null" : "tun";
  text += ",link-mtu " + std::to_string(link_mtu) + ",tun-mtu " + std::to_string(config.device.mtu);
  text += ",proto " + config::occ_proto(transport) + address_options(config);
  if (framing != config::Framing::kNone) text += ",comp-lzo";
  if (fragment) text += ",mtu-dynamic";
  return text + key_options(tls, cipher);
}

}  // namespace engine
