// SPDX-License-Identifier: Apache-2.0
// Two native engines over loopback UDP with tun ports in memory: the real data path where neither
// a device nor a namespace is allowed.
//
//   memory port -> worker -> seal -> UDP 127.0.0.1 -> open -> worker -> memory port
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/worker.h"
#include "fastpath/io/memory_port.h"
#include "fastpath/io/udp_port.h"
#include "fastpath/peer/peer.h"
#include "ovpn/lexer.h"
#include "ovpn/static_key.h"

namespace {

constexpr std::size_t kPacketBytes = 1400;
constexpr std::size_t kUnderway = 256;  // packets between the two ends at any time
constexpr auto kMeasured = std::chrono::seconds(2);
constexpr auto kPatience = std::chrono::milliseconds(500);

config::TunnelConfig make_config(const std::string& crypto) {
  const auto lexed = ovpn::lex_config("demo", "dev null\nsecret in-memory\n" + crypto);
  auto made = config::make_tunnel_config(lexed.profile);
  if (!made) throw base::FatalError(to_string(made.error().front()));
  return std::move(*made);
}

// One end; members in the order in which they need each other.
class End {
 public:
  End(const config::TunnelConfig& config, const ovpn::StaticKey& key) {
    io::UdpSettings settings;
    settings.local = loopback();
    auto opened = io::UdpPort::open(settings);
    if (!opened) throw base::FatalError(to_string(opened.error().problem));
    link_ = std::move(*opened);
    peer::PeerParts parts;
    parts.config = config;
    parts.key = ovpn::StaticKey{key.bytes.clone()};
    parts.packet_time = base::unix_now();
    parts.random = base::random_bytes;
    parts.wall_clock = base::unix_now;
    peer_ = std::make_unique<peer::Peer>(std::move(parts), base::monotonic_now());
  }

  base::Endpoint address() const { return {loopback(), link_->local_port()}; }
  void start(const base::Endpoint& far, const config::TunnelConfig& config) {
    peer_->set_remotes({far}, base::monotonic_now());
    engine::WorkerParts parts;
    parts.peer = peer_.get();
    parts.tun = &tun_;
    parts.link = link_.get();
    parts.tun_bytes_max = static_cast<std::size_t>(config.device.mtu);
    parts.link_bytes_max = peer::link_bytes_max(config);
    parts.wake_main = &wake_;
    worker_ = std::make_unique<engine::Worker>(parts);
  }
  io::MemoryPort& tun() { return tun_; }

 private:
  static base::IpAddress loopback() { return base::IpAddress::v4(0x7f000001); }

  io::WakeUp wake_;
  io::MemoryPort tun_;
  std::unique_ptr<io::UdpPort> link_;
  std::unique_ptr<peer::Peer> peer_;
  std::unique_ptr<engine::Worker> worker_;
};

// An IPv4 packet whose payload tells its number.
base::Bytes numbered_packet(std::uint32_t number) {
  base::Bytes bytes(kPacketBytes, static_cast<std::uint8_t>(number * 7));
  bytes[0] = 0x45;
  bytes[2] = static_cast<std::uint8_t>(kPacketBytes >> 8);
  bytes[3] = static_cast<std::uint8_t>(kPacketBytes & 0xff);
  for (std::size_t i = 0; i < 4; ++i) bytes[20 + i] = static_cast<std::uint8_t>(number >> (8 * i));
  return bytes;
}

std::uint32_t number_of(const base::Bytes& bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number |= std::uint32_t{bytes.at(20 + i)} << (8 * i);
  return number;
}

struct Figures {
  std::uint32_t sent = 0, arrived = 0, damaged = 0;
  double seconds = 0;
};

void collect(End& to, Figures& figures) {
  for (const io::MemoryPacket& packet : to.tun().take_written()) {
    ++figures.arrived;
    if (packet.bytes.size() != kPacketBytes ||
        packet.bytes != numbered_packet(number_of(packet.bytes))) {
      ++figures.damaged;
    }
  }
}

// Keeps a window of packets underway; what is lost frees its place after kPatience.
Figures pump(End& from, End& to) {
  Figures figures;
  const auto start = std::chrono::steady_clock::now();
  auto last_news = start;
  std::uint32_t written_off = 0;
  while (std::chrono::steady_clock::now() - start < kMeasured) {
    const std::uint32_t before = figures.arrived;
    while (figures.sent - figures.arrived - written_off < kUnderway) {
      from.tun().deliver(numbered_packet(figures.sent++));
    }
    collect(to, figures);
    const auto now = std::chrono::steady_clock::now();
    if (figures.arrived != before) {
      last_news = now;
    } else {
      if (now - last_news > kPatience) written_off = figures.sent - figures.arrived;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::this_thread::sleep_for(kPatience);
  collect(to, figures);
  return figures;
}

bool show(const std::string& title, const std::string& crypto) {
  const config::TunnelConfig config = make_config(crypto);
  const ovpn::StaticKey key = ovpn::generate_static_key();
  End near(config, key);
  End far(config, key);
  near.start(far.address(), config);
  far.start(near.address(), config);
  const Figures figures = pump(near, far);
  std::printf("  %-26s %9.0f packets/s %7.0f Mbit/s   %u of %u arrived, %u damaged\n", title.c_str(),
              figures.arrived / figures.seconds,
              figures.arrived * kPacketBytes * 8 / figures.seconds / 1e6, figures.arrived,
              figures.sent, figures.damaged);
  return figures.arrived > 0 && figures.damaged == 0 &&
         figures.arrived * 100.0 >= figures.sent * 99.0;
}

}  // namespace

int main() {
  try {
    bool good = show("cipher none / auth none", "cipher none\nauth none\n");
    good &= show("default (BF-CBC / SHA1)", "");
    good &= show("AES-256-CBC / SHA512", "cipher AES-256-CBC\nauth SHA512\n");
    return good ? 0 : 1;
  } catch (const base::FatalError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return error.exit_status();
  }
}
