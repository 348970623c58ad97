// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/world.h"

#include <algorithm>

namespace sim {

std::uint64_t Oracle::sent(base::UnixSeconds time, base::Bytes ip) {
  sent_.push_back({time, ++ids_[time], std::move(ip)});
  return sent_.size() - 1;
}

Oracle::Due Oracle::arrives(std::uint64_t number) {
  const Sent& sent = sent_[number];
  if (taken_.count(number) != 0) return Due::kMustNot;
  if (restarted_) {
    // What was under way across a restart may be too old for the receiver; the first taken counts.
    restarted_ = sent.time < newest_time_ || (sent.time == newest_time_ && sent.id <= newest_id_);
    if (restarted_) return Due::kMay;
  }
  if (sent.time < newest_time_) return Due::kMustNot;
  if (sent.time == newest_time_ && sent.id + window_ <= newest_id_) return Due::kMustNot;
  taken_.insert(number);
  if (sent.time > newest_time_) {
    newest_time_ = sent.time;
    newest_id_ = sent.id;
  }
  newest_id_ = std::max(newest_id_, sent.id);
  return Due::kMust;
}

void Oracle::link_restarted() { restarted_ = true; }

void Oracle::receiver_restarted() {
  taken_.clear();
  newest_time_ = 0;
  newest_id_ = 0;
  restarted_ = false;
}

World::World(std::uint64_t seed, const TunnelSetup& setup)
    : wire(seed),
      a(support::endpoint("192.0.2.1", 2011), 64),
      b(support::endpoint("192.0.2.2", 2011), 64),
      seed_(seed),
      setup_(setup) {
  start(a);
  if (!setup.same_second) now_ += std::chrono::seconds(1);
  start(b);
}

base::UnixSeconds World::unix_now() const {
  return 1700000000 +
         std::chrono::duration_cast<std::chrono::seconds>(now_.time_since_epoch()).count();
}

void World::start(Host& host) {
  // The rule that every process of ours keeps, its last time being on disk.
  host.last_packet_time = std::max(unix_now(), host.last_packet_time + 1);
  peer::PeerParts parts =
      support::peer_parts(setup_.layout, seed_ * 1000 + ++starts_, host.last_packet_time);
  parts.wall_clock = [this] { return unix_now(); };
  parts.config.link.float_allowed = setup_.float_allowed;
  parts.config.keepalive.ping_seconds = setup_.ping_seconds;
  parts.config.keepalive.ping_restart_seconds = setup_.ping_restart_seconds;
  host.peer = std::make_unique<peer::Peer>(std::move(parts), now_);
  host.incoming.receiver_restarted();
  const bool waits = setup_.responder && &host == &b;
  host.peer->set_remotes(waits ? std::vector<base::Endpoint>{} : std::vector{other(host).address},
                         now_);
}

void World::send_ip(Host& from, std::size_t bytes) {
  const base::Bytes ip = support::ip_packet(bytes, ++mark_);
  batch_.clear();
  packet::Packet& packet = *batch_.append();
  support::fill(packet, ip);
  from.peer->seal_batch(now_, batch_);
  if (packet.verdict == packet::DropReason::kNoPeer) return;
  if (packet.dropped()) complaints.push_back("not sealed");
  put_on_wire(from, packet, ip);
}

void World::put_on_wire(Host& from, const packet::Packet& packet, base::Bytes ip) {
  from.last_packet_time = std::max(from.last_packet_time, from.peer->packet_time());
  from.sent.insert(support::copy_of(packet));
  const std::uint64_t number = other(from).incoming.sent(from.peer->packet_time(), std::move(ip));
  wire.send(now_, {from.address, packet.peer, support::copy_of(packet), number});
}

void World::deliver(const support::Datagram& datagram) {
  if (datagram.to != a.address && datagram.to != b.address) return;  // an address given up
  Host& to = datagram.to == a.address ? a : b;
  if (reflecting) reflect(datagram);
  batch_.clear();
  packet::Packet& packet = *batch_.append();
  support::fill(packet, datagram.bytes);
  packet.peer = datagram.from;
  const bool remote_fits = setup_.float_allowed || datagram.from == other(to).address;
  to.peer->open_batch(now_, batch_);
  // Sent byte for byte alike by both ends: nobody can tell whose it was.
  const bool reflected = packet.verdict == packet::DropReason::kReflected;
  if (reflected && to.sent.count(datagram.bytes) != 0) return;
  const Oracle::Due due =
      datagram.intact && remote_fits ? to.incoming.arrives(datagram.number) : Oracle::Due::kMustNot;
  const std::string name = "datagram " + std::to_string(datagram.number) + ": ";
  const bool taken = !packet.dropped();
  if (taken && due == Oracle::Due::kMustNot) complaints.push_back(name + "taken");
  if (!taken && due == Oracle::Due::kMust) {
    complaints.push_back(name + "dropped: " + std::string(to_string(packet.verdict)));
  }
  if (!taken || !datagram.intact) return;
  const base::Bytes& ip = to.incoming[datagram.number].ip;
  if (packet.swallowed != ip.empty()) complaints.push_back(name + "swallowed or not");
  if (packet.swallowed) return;
  if (support::copy_of(packet) != ip) complaints.push_back(name + "other bytes");
  ++to.delivered;
}

void World::reflect(const support::Datagram& datagram) {
  Host& sender = datagram.from == a.address ? a : b;
  batch_.clear();
  packet::Packet& packet = *batch_.append();
  support::fill(packet, datagram.bytes);
  packet.peer = datagram.to;
  sender.peer->open_batch(now_, batch_);
  if (!packet.dropped()) complaints.push_back("own packet taken");
}

void World::turn(Host& host) {
  host.peer->handle_timeout(now_);
  // On disk before it is used.
  if (const auto time = host.peer->wanted_packet_time()) {
    host.last_packet_time = std::max(host.last_packet_time, *time);
    host.peer->use_packet_time(*time);
  }
  batch_.clear();
  packet::Packet& out = *batch_.append();
  while (host.peer->next_packet(now_, out)) put_on_wire(host, out, {});
  while (const auto event = host.peer->next_event()) {
    host.events.emplace_back(now_, *event);
    if (*event != peer::PeerEvent::kPingRestart) continue;
    host.incoming.link_restarted();
    const auto remote = host.peer->remote();
    const bool waits = setup_.responder && &host == &b;
    host.peer->set_remotes(
        waits || !remote ? std::vector<base::Endpoint>{} : std::vector{other(host).address}, now_);
  }
}

std::optional<base::TimePoint> World::next_moment() const {
  std::optional<base::TimePoint> next = wire.next_arrival();
  for (const Host* host : {&a, &b}) {
    const auto timeout = host->peer->next_timeout();
    if (timeout && (!next || *timeout < *next)) next = timeout;
  }
  return next;
}

void World::run_until(base::TimePoint end) {
  std::size_t without_progress = 0;
  while (true) {
    turn(a);
    turn(b);
    const auto next = next_moment();
    if (!next || *next > end) break;
    without_progress = *next > now_ ? 0 : without_progress + 1;
    if (without_progress > 10000) {
      complaints.push_back("a timeout that never passes");
      break;
    }
    now_ = std::max(now_, *next);
    while (const auto datagram = wire.receive(now_)) deliver(*datagram);
  }
  now_ = end;
}

}  // namespace sim
