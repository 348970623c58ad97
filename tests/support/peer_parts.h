// SPDX-License-Identifier: Apache-2.0
// Peers for tests: one key for all, seeded randomness, no clock.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "fastpath/peer/peer.h"

namespace support {

// Bytes 0, 1, 2 ... 255: every part of the key differs from every other.
inline ovpn::StaticKey counting_key() {
  ovpn::StaticKey key{base::SecretBytes(ovpn::kStaticKeyBytes)};
  for (std::size_t i = 0; i < ovpn::kStaticKeyBytes; ++i) {
    key.bytes.mutable_view()[i] = static_cast<std::uint8_t>(i);
  }
  return key;
}

inline std::function<void(base::MutableByteSpan)> seeded_random(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)](base::MutableByteSpan to) mutable {
    for (std::uint8_t& byte : to) byte = static_cast<std::uint8_t>(engine());
  };
}

struct Layout {
  std::string cipher = "AES-256-CBC";
  std::string auth = "SHA256";
  bool replay = true;
  ovpn::KeyDirection direction = ovpn::KeyDirection::kBidirectional;
  bool null_mode = false;
  config::Framing framing = config::Framing::kNone;

  std::string name() const {
    return null_mode ? "null" : cipher + "_" + auth + (replay ? "" : "_noreplay");
  }
};

// The eight layouts of a static key, and null mode last.
inline std::vector<Layout> all_layouts() {
  std::vector<Layout> layouts;
  for (const char* cipher : {"AES-256-CBC", "none"}) {
    for (const char* auth : {"SHA256", "none"}) {
      for (const bool replay : {true, false}) {
        layouts.push_back({.cipher = cipher, .auth = auth, .replay = replay});
      }
    }
  }
  layouts.push_back({.cipher = "none", .auth = "none", .null_mode = true});
  return layouts;
}

inline peer::PeerParts peer_parts(const Layout& layout, std::uint64_t seed,
                                  base::UnixSeconds packet_time = 1700000000) {
  peer::PeerParts parts;
  config::CryptoConfig& crypto = parts.config.crypto;
  crypto.cipher = layout.cipher;
  crypto.auth = layout.auth;
  crypto.replay = layout.replay;
  crypto.direction = layout.direction;
  crypto.null_mode = layout.null_mode;
  crypto.framing = layout.framing;
  if (!layout.null_mode) parts.key = counting_key();
  parts.packet_time = packet_time;
  parts.random = seeded_random(seed);
  parts.wall_clock = [packet_time] { return packet_time; };
  return parts;
}

inline base::Endpoint endpoint(const std::string& address, std::uint16_t port) {
  return {base::IpAddress::parse(address).value(), port};
}

// A well-formed IPv4 UDP-like packet of `bytes` whose payload is told by `mark`.
inline base::Bytes ip_packet(std::size_t bytes, std::uint32_t mark = 0) {
  base::Bytes packet(std::max<std::size_t>(bytes, 24), 0);
  packet[0] = 0x45;
  base::store_be16(&packet[2], static_cast<std::uint16_t>(packet.size()));
  packet[8] = 64;
  packet[9] = 17;
  base::store_be32(&packet[20], mark);
  for (std::size_t i = 24; i < packet.size(); ++i) {
    packet[i] = static_cast<std::uint8_t>(mark * 31 + i);
  }
  return packet;
}

inline void fill(packet::Packet& packet, base::ByteSpan bytes) {
  std::ranges::copy(bytes, packet.fill_space().begin());
  packet.set_size(bytes.size());
}

inline base::Bytes copy_of(const packet::Packet& packet) {
  return {packet.bytes().begin(), packet.bytes().end()};
}

}  // namespace support
