// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/status_text.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

namespace engine {
namespace {

std::uint64_t dropped(const WorkerReport& report, packet::DropReason reason) {
  return report.counters.drops[static_cast<std::size_t>(reason)];
}

template <typename Line>
void each_drop(const WorkerReport& report, const Line& line) {
  for (std::size_t i = 1; i < packet::kDropReasons; ++i) {
    const auto reason = static_cast<packet::DropReason>(i);
    if (dropped(report, reason) > 0) line(packet::to_string(reason), dropped(report, reason));
  }
}

}  // namespace

std::string status_file_text(const WorkerReport& report, const CipherInUse& cipher,
                             const std::string& updated) {
  const peer::PeerCounters& c = report.counters;
  std::string text = fmt::format(
      "OpenVPN STATISTICS\nUpdated,{}\nTUN/TAP read bytes,{}\nTUN/TAP write bytes,{}\n"
      "TCP/UDP read bytes,{}\nTCP/UDP write bytes,{}\nAuth read bytes,{}\n",
      updated, c.tun_read_bytes, c.tun_write_bytes, c.link_read_bytes, c.link_write_bytes,
      c.auth_read_bytes);
  if (!cipher.description.empty()) text += fmt::format("Packet cipher,{}\n", cipher.description);
  if (report.helpers > 0) text += fmt::format("Data threads,{}\n", report.helpers + 1);
  each_drop(report, [&](std::string_view name, std::uint64_t packets) {
    text += fmt::format("Dropped packets {},{}\n", name, packets);
  });
  return text + "END\n";
}

std::vector<std::string> status_dump(const WorkerReport& report, ovpn::ConnectionState state,
                                     const CipherInUse& cipher,
                                     const std::string& options_difference) {
  const peer::PeerCounters& c = report.counters;
  std::vector<std::string> lines{
      fmt::format("status: {} peer {}", ovpn::to_string(state),
                  report.remote ? report.remote->to_string() : "not known"),
      fmt::format("status: tun read {} write {} bytes", c.tun_read_bytes, c.tun_write_bytes),
      fmt::format("status: link read {} write {} bytes, authenticated {} bytes", c.link_read_bytes,
                  c.link_write_bytes, c.auth_read_bytes),
      fmt::format("status: sealed {} opened {} packets", c.packets_sealed, c.packets_opened)};
  if (!cipher.description.empty()) lines.push_back("status: cipher " + cipher.description);
  if (report.helpers > 0)
    lines.push_back(fmt::format("status: data threads {}", report.helpers + 1));
  each_drop(report, [&](std::string_view name, std::uint64_t packets) {
    lines.push_back(fmt::format("status: dropped {} {}", name, packets));
  });
  if (!options_difference.empty()) {
    lines.push_back("status: the peer is set up differently: " + options_difference);
  }
  return lines;
}

ovpn::StatusLine status_line(const WorkerReport& report, ovpn::ConnectionState state,
                             base::UnixSeconds since, base::TimePoint now) {
  ovpn::StatusLine line;
  line.state = state;
  if (report.remote) line.peer = report.remote->to_string();
  line.since = since;
  line.rx_bytes = report.counters.tun_write_bytes;
  line.tx_bytes = report.counters.tun_read_bytes;
  line.auth_failed = dropped(report, packet::DropReason::kAuthFailed);
  const auto& drops = report.counters.drops;
  line.drops = std::accumulate(drops.begin(), drops.end(), std::uint64_t{0}) - *line.auth_failed;
  each_drop(report, [&](std::string_view name, std::uint64_t packets) {
    if (name != packet::to_string(packet::DropReason::kAuthFailed)) {
      line.drop_reasons.emplace_back(name, packets);
    }
  });
  if (report.last_heard && now >= *report.last_heard) {
    line.heard_seconds = static_cast<std::uint32_t>(
        std::chrono::duration_cast<std::chrono::seconds>(now - *report.last_heard).count());
  }
  return line;
}

std::string loop_text(const base::Endpoint& remote) {
  return "a route leads what is sent to the peer, " + remote.to_string() +
         ", into this tunnel, where it is dropped; take " + remote.address.to_string() +
         " out of the route, or give it a route of its own beside the tunnel";
}

std::string waiting_text(config::TlsRole role, bool no_remote) {
  if (role == config::TlsRole::kServer) {
    return "waiting for the far end to call: it must be a TLS client (role = \"client\") whose "
           "remote is this machine";
  }
  if (!no_remote) return {};
  return "a TLS client without a remote calls nobody: write remote, or make this end the server "
         "(tls-server, role = \"server\")";
}

std::string notice_text(const DropNotice& notice, bool no_remote) {
  if (notice.reason == packet::DropReason::kOwnPacket) return loop_text(notice.source);
  const std::string from = "packets from " + notice.source.to_string() + " are dropped: ";
  switch (notice.reason) {
    case packet::DropReason::kAuthFailed:
      return from + "authentication failed: key, direction, cipher or auth differ";
    case packet::DropReason::kStranger:
      if (no_remote) return from + "they are of no session that this end knows";
      return from + "not the configured remote (write `float` if it may change)";
    case packet::DropReason::kTimeBackwards:
      return from + "their clock is behind what was seen before; restart this end or set theirs";
    case packet::DropReason::kBadFraming:
      return from +
             "their compression framing differs: make `comp-lzo` or `compress` the same at "
             "both ends";
    case packet::DropReason::kBadCompression:
      return from + "what they hold compressed does not unpack; switch compression off there";
    default:
      return from + std::string(packet::to_string(notice.reason));
  }
}

}  // namespace engine
