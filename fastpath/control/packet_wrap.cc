// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/packet_wrap.h"

#include <algorithm>
#include <array>

#include "fastpath/crypto/ctr_cipher.h"
#include "fastpath/crypto/hmac_digest.h"

namespace control {
namespace {

constexpr std::size_t kBlockBytes = 64;  // a static key is four of them
constexpr std::size_t kTagBytes = 32;

base::ByteSpan cipher_block(base::ByteSpan key, int half) {
  return key.subspan(static_cast<std::size_t>(half) * 2 * kBlockBytes, kBlockBytes);
}
base::ByteSpan hmac_block(base::ByteSpan key, int half) {
  return key.subspan(static_cast<std::size_t>(half) * 2 * kBlockBytes + kBlockBytes, kBlockBytes);
}

std::size_t write_head_at_front(const ControlHead& head, base::MutableByteSpan out) {
  base::ByteWriter writer(out);
  write_head(head, writer);
  return writer.size();
}

class PlainWrap : public PacketWrap {
 public:
  std::size_t overhead() const override { return 0; }
  bool protects() const override { return false; }
  std::size_t seal(const ControlHead& head, const wire::LongPacketId&, std::size_t body_bytes,
                   base::MutableByteSpan out) override {
    return write_head_at_front(head, out) + body_bytes;
  }
  std::optional<Opened> open(const ControlHead&, base::ByteSpan datagram,
                             base::MutableByteSpan scratch) override {
    const base::ByteSpan body = datagram.subspan(wire::kControlHeadBytes);
    std::copy(body.begin(), body.end(), scratch.begin());
    return Opened{std::nullopt, scratch.first(body.size())};
  }
};

//   head[9] | HMAC[H] | packet id[8] | body
// and the HMAC goes over: packet id | head | body.
class TlsAuthWrap : public PacketWrap {
 public:
  TlsAuthWrap(crypto::Library& library, const std::string& digest, base::ByteSpan key,
              ovpn::KeyDirection direction)
      : send_(library, digest, hmac_block(key, ovpn::send_key_index(direction))),
        receive_(library, digest, hmac_block(key, ovpn::receive_key_index(direction))) {}

  std::size_t overhead() const override { return send_.size() + wire::kLongPacketIdBytes; }
  bool protects() const override { return true; }

  std::size_t seal(const ControlHead& head, const wire::LongPacketId& packet_id,
                   std::size_t body_bytes, base::MutableByteSpan out) override {
    write_head_at_front(head, out);
    wire::store_long_packet_id(out.data() + packet_id_at(), packet_id);
    const std::size_t size = body_at() + body_bytes;
    const base::Bytes covered = covered_bytes(out.first(size));
    const auto mac = out.subspan(wire::kControlHeadBytes, send_.size());
    return send_.compute(covered, mac) ? size : 0;
  }

  std::optional<Opened> open(const ControlHead&, base::ByteSpan datagram,
                             base::MutableByteSpan scratch) override {
    if (datagram.size() < body_at()) return std::nullopt;
    const base::Bytes covered = covered_bytes(datagram);
    if (!receive_.verify(covered, datagram.subspan(wire::kControlHeadBytes, receive_.size()))) {
      return std::nullopt;
    }
    const base::ByteSpan body = datagram.subspan(body_at());
    std::copy(body.begin(), body.end(), scratch.begin());
    return Opened{wire::load_long_packet_id(datagram.data() + packet_id_at()),
                  scratch.first(body.size())};
  }

 private:
  std::size_t packet_id_at() const { return wire::kControlHeadBytes + send_.size(); }
  base::Bytes covered_bytes(base::ByteSpan datagram) const {
    base::Bytes covered;
    covered.reserve(datagram.size());
    const auto append = [&covered](base::ByteSpan part) {
      covered.insert(covered.end(), part.begin(), part.end());
    };
    append(datagram.subspan(packet_id_at(), wire::kLongPacketIdBytes));
    append(datagram.first(wire::kControlHeadBytes));
    append(datagram.subspan(body_at()));
    return covered;
  }

  crypto::HmacDigest send_, receive_;
};

//   head[9] | packet id[8] | tag[32] | encrypted body
// The tag goes over head, packet id and the body in clear text; its first half is the counter.
class TlsCryptWrap : public PacketWrap {
 public:
  TlsCryptWrap(crypto::Library& library, base::ByteSpan key, int send, int receive)
      : send_mac_(library, "SHA256", hmac_block(key, send)),
        receive_mac_(library, "SHA256", hmac_block(key, receive)),
        send_cipher_(library, cipher_block(key, send)),
        receive_cipher_(library, cipher_block(key, receive)) {}

  std::size_t overhead() const override { return wire::kLongPacketIdBytes + kTagBytes; }
  bool protects() const override { return true; }

  std::size_t seal(const ControlHead& head, const wire::LongPacketId& packet_id,
                   std::size_t body_bytes, base::MutableByteSpan out) override {
    write_head_at_front(head, out);
    wire::store_long_packet_id(out.data() + wire::kControlHeadBytes, packet_id);
    const auto body = out.subspan(body_at(), body_bytes);
    const auto tag = out.subspan(kTagAt, kTagBytes);
    if (!send_mac_.compute(covered_bytes(out, body), tag)) return 0;
    return send_cipher_.run(tag.first(crypto::CtrCipher::kCounterBytes), body)
               ? body_at() + body_bytes
               : 0;
  }

  std::optional<Opened> open(const ControlHead&, base::ByteSpan datagram,
                             base::MutableByteSpan scratch) override {
    if (datagram.size() < body_at()) return std::nullopt;
    const base::ByteSpan tag = datagram.subspan(kTagAt, kTagBytes);
    const base::ByteSpan encrypted = datagram.subspan(body_at());
    const auto body = scratch.first(encrypted.size());
    std::copy(encrypted.begin(), encrypted.end(), body.begin());
    if (!receive_cipher_.run(tag.first(crypto::CtrCipher::kCounterBytes), body) ||
        !receive_mac_.verify(covered_bytes(datagram, body), tag)) {
      return std::nullopt;
    }
    return Opened{wire::load_long_packet_id(datagram.data() + wire::kControlHeadBytes), body};
  }

 private:
  static constexpr std::size_t kTagAt = wire::kControlHeadBytes + wire::kLongPacketIdBytes;

  static base::Bytes covered_bytes(base::ByteSpan front, base::ByteSpan body) {
    base::Bytes covered(front.begin(), front.begin() + kTagAt);
    covered.insert(covered.end(), body.begin(), body.end());
    return covered;
  }

  crypto::HmacDigest send_mac_, receive_mac_;
  crypto::CtrCipher send_cipher_, receive_cipher_;
};

}  // namespace

std::unique_ptr<PacketWrap> plain_wrap() { return std::make_unique<PlainWrap>(); }

std::unique_ptr<PacketWrap> tls_auth_wrap(crypto::Library& library, const std::string& digest,
                                          base::ByteSpan key, ovpn::KeyDirection direction) {
  return std::make_unique<TlsAuthWrap>(library, digest, key, direction);
}

std::unique_ptr<PacketWrap> tls_crypt_wrap(crypto::Library& library, base::ByteSpan key,
                                           config::TlsRole role) {
  const int send = role == config::TlsRole::kServer ? 0 : 1;
  return std::make_unique<TlsCryptWrap>(library, key, send, 1 - send);
}

}  // namespace control
