// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/link_mtu.h"

#include <algorithm>
#include <string>

#include "ovpn/cipher_name.h"

namespace config {
namespace {

using ovpn::CipherMode;

constexpr int kTcpLengthBytes = 2;
constexpr int kOpcodeBytes = 1;  // TLS mode; no peer-id is known yet
constexpr int kPacketIdBytes = 8, kPacketIdBytesTls = 4;
constexpr int kTagBytes = 16, kNonceBytes = 12;
constexpr int kAeadBlockBytes = 16;  // ChaCha20 has none, and counts as one

int digest_bytes(const std::string& name) {
  const auto* digest = ovpn::find_digest(name);
  return digest != nullptr ? digest->bytes : 0;
}

// With CBC the packet id is inside, and one block more is counted than is ever sent.
int cipher_bytes(const std::string& name, int digest, int packet_id) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(name);
  const CipherMode mode = cipher != nullptr ? cipher->mode : CipherMode::kNone;
  if (mode == CipherMode::kAead) {
    const int block = name.starts_with("CHACHA") ? 1 : kAeadBlockBytes;
    return packet_id + kTagBytes + kNonceBytes + block;
  }
  if (mode == CipherMode::kNone) return packet_id + digest;
  return digest + 2 * cipher->block_bytes;
}

// BF-CBC is what OpenVPN calls the cipher of a config without one, and is not reckoned with unless
// it may be used.
std::string reckoned_cipher(const NegotiationConfig& negotiation) {
  const std::string& name = negotiation.occ_cipher;
  const auto& list = negotiation.data_ciphers;
  const bool may_be = std::ranges::find(list, name) != list.end() || negotiation.fallback == name;
  return name == "BF-CBC" && !may_be ? "none" : name;
}

}  // namespace

int tun_mtu_of_link_mtu(const TunnelConfig& config, int link_mtu, bool tcp) {
  const int left = link_mtu - (tcp ? kTcpLengthBytes : 0);
  if (config.tls) {
    const NegotiationConfig& negotiation = config.tls->negotiation;
    return left - kOpcodeBytes -
           cipher_bytes(reckoned_cipher(negotiation), digest_bytes(negotiation.auth),
                        kPacketIdBytesTls);
  }
  const CryptoConfig& crypto = config.crypto;
  if (crypto.null_mode) return left - kPacketIdBytes;  // which null mode does not even send
  return left -
         cipher_bytes(crypto.cipher, digest_bytes(crypto.auth), crypto.replay ? kPacketIdBytes : 0);
}

}  // namespace config
