// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/key_material.h"

#include <algorithm>
#include <initializer_list>

#include "fastpath/crypto/tls1_prf.h"
#include "ovpn/cipher_name.h"

namespace control {
namespace {

constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kMasterBytes = 48;

base::SecretBytes joined(std::initializer_list<base::ByteSpan> parts) {
  std::size_t size = 0;
  for (const base::ByteSpan part : parts) size += part.size();
  base::SecretBytes all(size);
  base::ByteWriter writer(all.mutable_view());
  for (const base::ByteSpan part : parts) writer.bytes(part);
  return all;
}

bool all_zero(base::ByteSpan bytes) {
  return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

}  // namespace

std::optional<base::SecretBytes> key_material_from_prf(crypto::Library& library,
                                                       const PrfInput& input) {
  base::SecretBytes master(kMasterBytes), material(kKeyMaterialBytes);
  const auto master_seed = joined({input.client.random1.view(), input.server.random1.view()});
  const auto seed = joined({input.client.random2.view(), input.server.random2.view(),
                            input.client_session.bytes, input.server_session.bytes});
  if (!crypto::tls1_prf(library, input.client.pre_master.view(), "OpenVPN master secret",
                        master_seed.view(), master.mutable_view()) ||
      !crypto::tls1_prf(library, master.view(), "OpenVPN key expansion", seed.view(),
                        material.mutable_view())) {
    return std::nullopt;
  }
  return material;
}

std::optional<crypto::DataKeys> data_keys_from(base::ByteSpan material, config::TlsRole role,
                                               std::uint8_t key_id, const Negotiated& agreed,
                                               const std::string& auth) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(agreed.cipher);
  if (cipher == nullptr || cipher->mode == ovpn::CipherMode::kStream ||
      material.size() != kKeyMaterialBytes) {
    return std::nullopt;
  }
  const std::size_t send = role == config::TlsRole::kClient ? 0 : 2;
  const auto block = [material](std::size_t index) {
    return base::SecretBytes(material.subspan(index * kBlockBytes, kBlockBytes));
  };
  const bool aead = cipher->mode == ovpn::CipherMode::kAead;
  crypto::DataKeys keys;
  keys.key_id = key_id;
  keys.format = agreed.epoch ? crypto::DataFormat::kEpoch
                : aead       ? crypto::DataFormat::kAead
                             : crypto::DataFormat::kCbc;
  keys.cipher = cipher->name;
  keys.auth = aead ? "" : auth;
  keys.peer_id = agreed.peer_id;
  keys.send_cipher = block(send);
  keys.receive_cipher = block(2 - send);
  if (!agreed.epoch) {
    keys.send_hmac = block(send + 1);
    keys.receive_hmac = block(2 - send + 1);
  }
  const auto key_bytes = static_cast<std::size_t>(cipher->key_bytes);
  const bool weak = key_bytes > 0 && (all_zero(keys.send_cipher.view().first(key_bytes)) ||
                                      all_zero(keys.receive_cipher.view().first(key_bytes)));
  if (weak) return std::nullopt;
  return keys;
}

}  // namespace control
