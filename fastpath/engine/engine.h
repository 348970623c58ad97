// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "fastpath/config/push.h"
#include "fastpath/engine/clock_wait.h"
#include "fastpath/engine/connecting.h"
#include "fastpath/engine/control_driver.h"
#include "fastpath/engine/farewell.h"
#include "fastpath/engine/keeper.h"
#include "fastpath/engine/last_peer.h"
#include "fastpath/engine/load.h"
#include "fastpath/engine/login_keeper.h"
#include "fastpath/engine/notifier.h"
#include "fastpath/engine/packet_time.h"
#include "fastpath/engine/privileges.h"
#include "fastpath/engine/ready_wait.h"
#include "fastpath/engine/resolver.h"
#include "fastpath/engine/restart_plan.h"
#include "fastpath/engine/session_rules.h"
#include "fastpath/engine/signals.h"
#include "fastpath/engine/status_reporter.h"
#include "fastpath/engine/steps.h"
#include "fastpath/engine/stream_opener.h"
#include "fastpath/engine/timers.h"
#include "fastpath/engine/tunnel_device.h"
#include "fastpath/engine/tunnel_link.h"
#include "fastpath/hostnet/helper_client.h"
#include "fastpath/io/ask_socket.h"
#include "ovpn/connection_state.h"

namespace engine {

// What outlives a reload. Everything is used by the main thread and outlives the engine.
struct EngineParts {
  const Loaded* loaded = nullptr;
  const base::Log* log = nullptr;
  Notifier* notifier = nullptr;
  Signals* signals = nullptr;
  PacketTime* packet_time = nullptr;
  LastPeer* last_peer = nullptr;
  Keeper* keeper = nullptr;
  Privileges* privileges = nullptr;
  io::AskSocket* ask = nullptr;
  crypto::CipherChoice ciphers;
  std::string network_journal;   // see TunnelDevice
  std::function<bool()> reload;  // reads the config anew; false: not good, and that has been logged
};

// Of the loop, where more than one file needs it.
inline constexpr std::uint32_t kAgentTag = 4;

// One tunnel from its config to its end: the main thread's part. Construct, run once, destroy:
// whatever was brought up goes down in reverse. What is to be done is decided by pure classes
// beside it (ClockWait, Connecting, SessionProgress, Farewell, ReadyWait, the rules for a restart
// and for a session's end), which are told events and say steps; it does the steps.
class Engine {
 public:
  explicit Engine(const EngineParts& parts);
  ~Engine();

  // Throws base::FatalError when something cannot be had.
  Ending run();

 private:
  void start();
  void loop();
  void finish();
  // The first word counts, but that of a person who asked to stop.
  void end(Ending ending) {
    if (!ending_) ending_ = farewell_.begun() ? Ending::kStopped : ending;
  }

  void fail(const std::string& why, Ending ending = Ending::kFailed);

  // What was decided (engine_steps.cc).
  void carry_out(Steps steps);
  void take(const step::Say& say);
  void take(const step::TellState& tell);
  void take(const step::TellReason& tell);
  void take(const step::Resolve& question);
  void take(const step::UseTargets& use);
  void take(const step::Wake& wake);
  void take(const step::Unset& unset);
  void take(const step::Restart& wanted);
  void take(const step::End& over);
  void take(const step::AskPatience& wanted);
  void take(const step::SendExit&);
  void take(const step::SendExitNotify&);
  void take(const step::ForgetToken&);
  void take(const step::AskChallenge& asked);
  void take(const step::AskLogin&);

  // What another run left, and what this one leaves (engine_take_over.cc).
  bool take_over();  // false: there is nothing of it, or not any more
  bool take_over_device(const Kept& last);
  void note_state();
  void leave_tunnel();

  void handle_ready(std::uint32_t tag);
  void handle_signal(int signal);
  void handle_timer(Timer timer);
  void handle_worker_news();
  void handle_event(peer::PeerEvent event);
  void leave(int signal);

  void connect();  // towards the current remote, or wait for whoever comes
  bool must_wait_for_clock();
  // IPv4, and this host has a way to IPv6 only.
  bool out_of_reach(const Resolved& literal) const;
  void use_targets(const std::vector<base::Endpoint>& targets);
  // The same over TCP (engine_stream.cc).
  config::Transport transport() const { return connecting_.transport(); }
  void open_stream(const std::vector<base::Endpoint>& targets);
  void handle_stream();
  void stream_opened(std::unique_ptr<io::TcpPort> stream);
  void stream_failed(const std::string& why);
  void suggest_last_peer();
  std::optional<base::Endpoint> whom_to_call();
  void restart(const std::string& reason, const RestartWay& way);
  void take(RestartStep step, const RestartWay& way);
  void drop_link();
  void reload_key();
  void reload_tls_files();
  void listen_on();
  void heard(const std::optional<base::Endpoint>& remote);
  void remember_peer(const std::optional<base::Endpoint>& peer);
  Farewell::Facts farewell_facts() const;
  void use_cipher(const std::string& cipher, const std::string& auth);
  void announce_ready();
  void script_runs(base::Duration so_far);

  // TLS mode (engine_tls.cc).
  bool pulls() const { return config_.tls && config_.tls->pull.pull; }
  io::PacketPort* tun_port() { return device_.is_open() ? &device_.port() : nullptr; }
  void drop_privileges();
  void begin_session();
  void turn_session();
  void on(control::KeysReady& event);
  void on(control::PushReceived& event);
  void on(control::KeyRetired& event);
  void on(control::AuthFailed& event);
  void on(control::AuthPending& event);
  void on(control::InfoMessage& event);
  void on(control::RestartAsked& event);
  void on(control::PeerExited& event);
  void on(control::SessionFailed& event);
  void on(control::SessionNote& event);
  void settle_differences();

  // What only a person can answer (engine_login.cc).
  bool must_ask();  // and does: who called may not go on
  void ask(const Question& question);
  void wish(const std::string& text);
  void stop_asking();
  void ask_through_helper(const Question& question);
  void handle_answer_of_person();
  void handle_answer_of_agent();
  void use_answer(std::string answer);
  void use_pushed(const config::Pushed& pushed);
  void set_up_device(const config::Pushed& pushed);
  void forget_pushed_values();

  const EngineParts parts_;
  config::TunnelConfig config_;  // with what a server pushed
  const base::Log& log_;
  io::EventLoop loop_;
  io::WakeUp wake_;
  Timers timers_;
  Resolver resolver_;
  Connecting connecting_;
  TunnelDevice device_;
  TunnelLink link_;  // after the device: its worker uses the device's port
  StreamOpener opener_;
  LoginKeeper login_;
  ControlDriver control_;
  StatusReporter reporter_;
  std::vector<base::Endpoint> targets_;      // in use
  std::vector<std::string> pushed_options_;  // as a later PUSH_UPDATE changes them
  // What the peer of this session has otherwise: the option's name, and how.
  std::vector<std::pair<std::string, std::string>> differences_;
  std::optional<config::PushDigest> device_digest_;  // what the device was set up for
  SessionProgress progress_;
  std::optional<Question> asking_;
  std::optional<hostnet::HelperQuestion> agent_;  // the same, at systemd's password agents
  std::string down_signal_;
  ClockWait clock_wait_;
  Farewell farewell_;
  ReadyWait ready_wait_;
  std::optional<base::TimePoint> patience_asked_;
  bool ready_ = false;
  std::optional<Ending> ending_;
};

}  // namespace engine
