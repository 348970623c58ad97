// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: data key derivation, from the PRF or the TLS exporter to keys for the data
// channel.
#pragma once

#include <optional>

#include "fastpath/control/key_method.h"
#include "fastpath/control/negotiation.h"
#include "fastpath/crypto/data_keys.h"
#include "fastpath/crypto/library.h"
#include "fastpath/wire/control_header.h"

namespace control {

inline constexpr std::size_t kKeyMaterialBytes = 256;  // "key2"
inline constexpr std::string_view kDataKeysLabel = "EXPORTER-OpenVPN-datakeys";
inline constexpr std::string_view kPeerIdLabel = "EXPORTER-OpenVPN-p2p-peerid";
inline constexpr std::string_view kDynamicTlsCryptLabel = "EXPORTER-OpenVPN-dynamic-tls-crypt";

struct PrfInput {
  const KeySource& client;
  const KeySource& server;
  wire::SessionId client_session, server_session;
};
// Nothing only if the crypto library fails.
std::optional<base::SecretBytes> key_material_from_prf(crypto::Library& library,
                                                       const PrfInput& input);

// The client sends with the first half, the server with the second. Nothing if a cipher key is all
// zeros, or the cipher is none that a data channel has.
std::optional<crypto::DataKeys> data_keys_from(base::ByteSpan material, config::TlsRole role,
                                               std::uint8_t key_id, const Negotiated& agreed,
                                               const std::string& auth);

}  // namespace control
