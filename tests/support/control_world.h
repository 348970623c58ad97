// SPDX-License-Identifier: Apache-2.0
// Two control sessions, a client and a server, over a noisy wire with a clock that moves only when
// told.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "fastpath/control/control_session.h"
#include "fastpath/control/peer_session.h"
#include "tests/support/noisy_wire.h"
#include "tests/support/test_pki.h"

namespace support {

// What one end told, sorted.
struct Told {
  std::vector<control::KeysReady> keys;
  std::vector<control::PushReceived> pushes;
  std::vector<control::AuthFailed> auth_failures;
  std::vector<control::SessionFailed> failures;
  std::vector<control::PeerExited> exits;
  std::vector<std::uint8_t> retired;
  std::vector<std::string> notes, warnings, reasons;
};

struct ControlEnd {
  config::TlsConfig config;
  control::SessionParts parts;  // config, random and wall_clock are filled in
  std::unique_ptr<control::ControlSession> session;
  base::Endpoint address, peer;
  std::optional<base::Endpoint> call;  // of a server that speaks first
  Told told;
  int signs_of_life = 0;  // packets that its session took for the peer's
};

config::TlsConfig client_config();  // certificates of shared_pki(), no pull
config::TlsConfig server_config();
config::ConfigFile text_file(const std::string& name, const std::string& text);

// A server's answer to a client's first packet, without wrapping: what holds the cookie.
base::Bytes first_answer(const control::PeerSession::Cookie& cookie);

class ControlWorld {
 public:
  ControlWorld(std::uint64_t seed, config::TlsConfig client, config::TlsConfig server);

  ControlEnd client, server;
  NoisyWire wire;
  base::UnixSeconds wall = kTestNow;

  void start();  // both; parts may be changed before
  void begin(ControlEnd& end);
  void run_for(base::Duration span);
  // Until `done`, at most `limit`; whether it came to that.
  bool run_until(const std::function<bool()>& done, base::Duration limit);
  base::TimePoint now() const { return now_; }
  std::uint64_t datagrams() const { return number_; }
  std::vector<base::Bytes> recorded;  // everything sent, in order, both ways

 private:
  void serve(ControlEnd& end);
  void step(base::TimePoint limit);

  std::mt19937_64 random_;
  base::TimePoint now_{std::chrono::seconds(1000)};
  std::uint64_t number_ = 0;
};

}  // namespace support
