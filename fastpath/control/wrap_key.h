// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "base/secret_bytes.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/control/packet_wrap.h"

namespace control {

// What tls-auth, tls-crypt or tls-crypt-v2 was given. Immutable once loaded.
struct WrapKey {
  config::ControlWrap kind = config::ControlWrap::kNone;
  base::SecretBytes key;  // ovpn::kStaticKeyBytes, or empty: kNone
  base::Bytes wrapped;    // tls-crypt-v2: the client key as only the server can read it
  std::string digest;     // tls-auth
  ovpn::KeyDirection direction = ovpn::KeyDirection::kBidirectional;  // tls-auth

  std::unique_ptr<PacketWrap> wrap(crypto::Library& library, config::TlsRole role) const;
  // OpenVPN protocol: dynamic tls-crypt. `exported`: kStaticKeyBytes out of the first TLS session.
  base::SecretBytes dynamic_key(base::ByteSpan exported) const;
};

// Throws base::FatalError that names the file and the remedy.
WrapKey load_wrap_key(const config::WrapConfig& config, config::TlsRole role);

}  // namespace control
