// SPDX-License-Identifier: Apache-2.0
// What helpers bring to one tunnel: thousands of packets per second through a whole data thread,
// with a source and a sink in memory, by number of threads. A program to be looked at, not a test:
// build with the release preset, run on a machine with nothing else to do.
//
//    threads_bench [THREADS]...      1 and 2 unless said otherwise
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/cpu_list.h"
#include "fastpath/engine/worker.h"
#include "tests/support/data_keys.h"
#include "tests/support/flood_ports.h"
#include "tests/support/peer_parts.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kWarmUp = 6'400, kPackets = 25'600;
constexpr int kRounds = 5;
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

struct Subject {
  std::string name;
  support::Layout layout = {};
  bool gcm = false;
};

std::unique_ptr<peer::Peer> make_peer(const Subject& subject, bool client, std::size_t threads) {
  peer::PeerParts parts =
      support::peer_parts(subject.layout, client ? 1 : 2, client ? 1700000000 : 1700000100);
  parts.workers = threads;
  parts.config.keepalive.occ = false;
  if (subject.gcm) {
    parts.key.reset();
    parts.tls = peer::TlsParts{};
  }
  const base::TimePoint now = base::monotonic_now();
  auto peer = std::make_unique<peer::Peer>(std::move(parts), now);
  peer->set_remotes({client ? kThere : kHere}, now);
  const support::DataChannel gcm;
  if (subject.gcm && !peer->install_keys(support::data_keys(gcm, client), true, now).empty()) {
    fmt::print("no keys\n");
  }
  return peer;
}

// Datagrams for everything that one receiver will open.
std::vector<base::Bytes> sealed(const Subject& subject, const base::Bytes& ip) {
  const auto sender = make_peer(subject, true, 1);
  packet::PacketBatch batch(2048);
  std::vector<base::Bytes> datagrams;
  while (datagrams.size() < kWarmUp + kRounds * kPackets) {
    batch.clear();
    while (packet::Packet* const packet = batch.append()) support::fill(*packet, ip);
    sender->seal_batch(base::monotonic_now(), batch);
    for (const packet::Packet& packet : batch.packets()) {
      datagrams.push_back(support::copy_of(packet));
    }
  }
  return datagrams;
}

struct Rate {
  double best = 0, median = 0;  // thousands of packets per second
  std::size_t helpers = 0;
};

Rate measure(peer::Peer& peer, support::FloodPort& tun, support::FloodPort& link, bool seals,
             std::size_t threads) {
  io::WakeUp wake;
  engine::WorkerParts parts;
  parts.peer = &peer;
  parts.tun = &tun;
  parts.link = &link;
  parts.tun_bytes_max = 1500;
  parts.link_bytes_max = 2048;
  parts.threads = threads;
  parts.cpus = base::affinity_of(0);  // one for each, so that they do not meet on one
  parts.wake_main = &wake;
  engine::Worker worker(parts);
  support::FloodPort &from = seals ? tun : link, &to = seals ? link : tun;
  const auto pour = [&](std::size_t packets) {
    const std::size_t all = to.written() + packets;
    const auto begun = Clock::now();
    from.pour(packets);
    while (to.written() < all) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      if (Clock::now() - begun > std::chrono::seconds(30)) {
        fmt::print("{} of {} packets are missing\n", all - to.written(), packets);
        std::exit(1);
      }
    }
    const std::chrono::duration<double> spent = Clock::now() - begun;
    return static_cast<double>(packets) / spent.count() / 1000;
  };
  pour(kWarmUp);
  std::vector<double> rates;
  for (int round = 0; round < kRounds; ++round) rates.push_back(pour(kPackets));
  std::ranges::sort(rates);
  return {rates.back(), rates[rates.size() / 2], worker.report().helpers};
}

Rate measure(const Subject& subject, bool seals, std::size_t threads,
             const std::vector<base::Bytes>& datagrams, const base::Bytes& ip) {
  const auto peer = make_peer(subject, seals, threads);
  support::FloodPort tun({ip}, {}), link(seals ? std::vector<base::Bytes>{} : datagrams, kHere);
  return measure(*peer, tun, link, seals, threads);
}

void print_rows(const Subject& subject, const std::vector<std::size_t>& threads) {
  const base::Bytes ip = support::ip_packet(1400);
  const std::vector<base::Bytes> datagrams = sealed(subject, ip);
  for (const bool seals : {true, false}) {
    double alone = 0;
    for (const std::size_t count : threads) {
      const Rate rate = measure(subject, seals, count, datagrams, ip);
      if (alone == 0) alone = rate.median;
      fmt::print("{:36} {:5} {:7} {:8} {:9.0f} {:9.0f} {:7.2f}\n", subject.name,
                 seals ? "seal" : "open", count, rate.helpers, rate.median, rate.best,
                 rate.median / alone);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::size_t> threads;
  for (int i = 1; i < argc; ++i) threads.push_back(std::strtoul(argv[i], nullptr, 10));
  if (threads.empty()) threads = {1, 2};
  fmt::print("{:36} {:5} {:>7} {:>8} {:>9} {:>9} {:>7}\n", "1400 bytes, by OpenSSL", "", "threads",
             "helpers", "median k/s", "best", "ratio");
  print_rows({.name = "AES-256-CBC with SHA512", .layout = {"AES-256-CBC", "SHA512"}}, threads);
  print_rows({.name = "AES-256-GCM", .gcm = true}, threads);
}
