// SPDX-License-Identifier: Apache-2.0
// Nanoseconds per packet through seal_batch and open_batch, by layout, by what does the cipher, and
// by how many packets are in hand: 64 of 1400 bytes, 64 of 64 bytes, one of 1400. A program to be
// looked at, not a test: build with the release preset, run on a quiet machine.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "tests/support/cipher_choices.h"
#include "tests/support/data_keys.h"
#include "tests/support/peer_parts.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr base::TimePoint kStart{std::chrono::seconds(1000)};
constexpr int kRounds = 7;
constexpr std::size_t kPackets = 12'800;
const base::Endpoint kHere = support::endpoint("192.0.2.1", 2011);
const base::Endpoint kThere = support::endpoint("192.0.2.2", 2011);

struct Subject {
  support::Layout layout = {};
  std::optional<support::DataChannel> tls = {};

  std::string name() const { return tls ? "TLS " + tls->cipher : layout.name(); }
};

struct Cost {
  double seal = 1e9, open = 1e9;  // nanoseconds per packet, the best of kRounds
};

double per_packet(Clock::duration spent) {
  return std::chrono::duration<double, std::nano>(spent).count() / kPackets;
}

std::unique_ptr<peer::Peer> make_peer(const Subject& subject, const crypto::CipherChoice& choice,
                                      bool client) {
  peer::PeerParts parts =
      support::peer_parts(subject.layout, client ? 1 : 2, client ? 1700000000 : 1700000100);
  parts.ciphers = choice;
  if (subject.tls) {
    parts.key.reset();
    parts.tls = peer::TlsParts{};
  }
  auto peer = std::make_unique<peer::Peer>(std::move(parts), kStart);
  peer->set_remotes({client ? kThere : kHere}, kStart);
  if (subject.tls) {
    const std::string problem =
        peer->install_keys(support::data_keys(*subject.tls, client), true, kStart);
    if (!problem.empty()) fmt::print("{}\n", problem);
  }
  return peer;
}

Cost measure(const Subject& subject, const crypto::CipherChoice& choice, std::size_t bytes,
             std::size_t at_once) {
  const auto sender = make_peer(subject, choice, true),
             receiver = make_peer(subject, choice, false);
  const base::Bytes ip = support::ip_packet(bytes);
  packet::PacketBatch batch(2048, at_once);
  Cost best;
  for (int round = 0; round < kRounds; ++round) {
    Clock::duration sealing{}, opening{};
    for (std::size_t i = 0; i < kPackets / at_once; ++i) {
      batch.clear();
      while (packet::Packet* packet = batch.append()) support::fill(*packet, ip);
      const auto before = Clock::now();
      sender->seal_batch(kStart, batch);
      const auto sealed = Clock::now();
      for (packet::Packet& packet : batch.packets()) packet.peer = kHere;
      const auto ready = Clock::now();
      receiver->open_batch(kStart, batch);
      opening += Clock::now() - ready;
      sealing += sealed - before;
    }
    best.seal = std::min(best.seal, per_packet(sealing));
    best.open = std::min(best.open, per_packet(opening));
  }
  if (receiver->counters().packets_opened == 0 && !subject.layout.null_mode) {
    fmt::print("{}: nothing was opened\n", subject.name());
  }
  return best;
}

void print_row(const std::string& name, const Subject& subject,
               const crypto::CipherChoice& choice) {
  const Cost large = measure(subject, choice, 1400, packet::kBatchPackets);
  const Cost small = measure(subject, choice, 64, packet::kBatchPackets);
  const Cost lone = measure(subject, choice, 1400, 1);
  fmt::print("{:40} {:8.0f} {:8.0f}   {:8.0f} {:8.0f}   {:8.0f} {:8.0f}\n", name, large.seal,
             large.open, small.seal, small.open, lone.seal, lone.open);
}

}  // namespace

int main() {
  std::vector<Subject> subjects;
  for (const support::Layout& layout : support::all_layouts()) subjects.push_back({layout});
  subjects.push_back({{.cipher = "BF-CBC", .auth = "SHA1"}});
  subjects.push_back({{.cipher = "AES-128-CBC", .auth = "SHA1"}});
  subjects.push_back({{.cipher = "AES-256-CBC", .auth = "SHA512"}});
  for (const char* cipher : {"AES-128-GCM", "AES-256-GCM", "CHACHA20-POLY1305"}) {
    subjects.push_back({{}, support::DataChannel{.cipher = cipher, .auth = "none"}});
  }
  fmt::print("{:40} {:>17}   {:>17}   {:>17}\n", "ns per packet, seal and open", "64 of 1400 B",
             "64 of 64 B", "one of 1400 B");
  const bool lanes = crypto::MultiBuffer::make() != nullptr;
  for (const Subject& subject : subjects) {
    print_row(subject.name() + ", OpenSSL", subject, {});
    const auto& cipher = subject.tls ? subject.tls->cipher : subject.layout.cipher;
    const auto& auth = subject.tls ? subject.tls->auth : subject.layout.auth;
    if (!lanes || !crypto::CipherChoice::family_of(cipher, auth)) continue;
    print_row("   " + crypto::MultiBuffer::version(), subject, support::multi_buffer_from(1));
  }
}
