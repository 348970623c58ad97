// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/control/control_packet.h"
#include "fastpath/crypto/library.h"
#include "fastpath/wire/packet_id.h"
#include "ovpn/static_key.h"

namespace control {

// How control packets are protected, without the state of one session: nothing (plain), an HMAC
// (tls-auth) or HMAC and encryption (tls-crypt). Used by one thread; the library must outlive it.
class PacketWrap {
 public:
  struct Opened {
    std::optional<wire::LongPacketId> packet_id;  // nothing: plain
    base::ByteSpan body;                          // in `scratch`; see parse_body()
  };

  virtual ~PacketWrap() = default;
  virtual std::size_t overhead() const = 0;  // bytes beyond head and body
  // Replay ids are on the wire.
  virtual bool protects() const = 0;
  // `body` stands in `out` already, at offset body_at(); the rest is written around it. Returns the
  // size of the datagram, 0 if the library fails. `out` must hold overhead() more than head and
  // body.
  virtual std::size_t seal(const ControlHead& head, const wire::LongPacketId& packet_id,
                           std::size_t body_bytes, base::MutableByteSpan out) = 0;
  std::size_t body_at() const { return wire::kControlHeadBytes + overhead(); }
  // Checks `datagram`, and turns it to clear text in `scratch`, which is at least as large. Nothing
  // if it is not authentic.
  virtual std::optional<Opened> open(const ControlHead& head, base::ByteSpan datagram,
                                     base::MutableByteSpan scratch) = 0;
};

std::unique_ptr<PacketWrap> plain_wrap();
// OpenVPN protocol: tls-auth. `key`: a static key of 256 bytes.
std::unique_ptr<PacketWrap> tls_auth_wrap(crypto::Library& library, const std::string& digest,
                                          base::ByteSpan key, ovpn::KeyDirection direction);
// OpenVPN protocol: tls-crypt. The server sends with the key's first half, the client with its
// second.
std::unique_ptr<PacketWrap> tls_crypt_wrap(crypto::Library& library, base::ByteSpan key,
                                           config::TlsRole role);

}  // namespace control
