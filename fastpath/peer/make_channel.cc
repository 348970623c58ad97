// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/make_channel.h"

#include "base/error.h"

namespace peer {
namespace {

data::DirectionKeys keys_of(const ovpn::StaticKey& key, int index) {
  return {key.cipher_block(index), key.hmac_block(index)};
}

}  // namespace

std::unique_ptr<data::StaticChannel> make_channel(const PeerParts& parts, base::TimePoint now) {
  const config::CryptoConfig& crypto = parts.config.crypto;
  if (crypto.null_mode || parts.tls) return nullptr;
  if (!parts.key) throw base::FatalError("secret: the key was not read", 78);
  return std::make_unique<data::StaticChannel>(
      data::StaticChannelParts{
          .cipher = crypto.cipher,
          .auth = crypto.auth,
          .send = keys_of(*parts.key, ovpn::send_key_index(crypto.direction)),
          .receive = keys_of(*parts.key, ovpn::receive_key_index(crypto.direction)),
          .shared_key = crypto.direction == ovpn::KeyDirection::kBidirectional,
          .replay = crypto.replay,
          .replay_window_packets = crypto.replay_window_packets,
          .replay_window_seconds = crypto.replay_window_seconds,
          .packet_time = parts.packet_time,
          .random = parts.random,
          .wall_clock = parts.wall_clock,
          .ciphers = parts.ciphers,
          .workers = parts.workers,
      },
      now);
}

std::unique_ptr<data::KeyRing> make_ring(const PeerParts& parts) {
  if (!parts.tls) return nullptr;
  const config::CryptoConfig& crypto = parts.config.crypto;
  data::KeyRingParts ring;
  ring.slot.replay = {crypto.replay, crypto.replay_window_packets, crypto.replay_window_seconds};
  ring.slot.random = parts.random;
  ring.switch_after = parts.tls->key_switch_after;
  ring.ciphers = parts.ciphers;
  ring.workers = parts.workers;
  return std::make_unique<data::KeyRing>(ring);
}

data::Framing framing_of(config::Framing framing) {
  switch (framing) {
    case config::Framing::kNone:
      return data::Framing::kNone;
    case config::Framing::kLzoNo:
      return data::Framing::kLzoNo;
    case config::Framing::kStub:
      return data::Framing::kStub;
    case config::Framing::kStubV2:
      return data::Framing::kStubV2;
    case config::Framing::kLzo:
      return data::Framing::kLzo;
    case config::Framing::kLz4:
      return data::Framing::kLz4;
    case config::Framing::kLz4V2:
      return data::Framing::kLz4V2;
  }
  return data::Framing::kNone;
}

}  // namespace peer
