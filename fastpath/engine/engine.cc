// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/engine.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "fastpath/engine/cipher_setup.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/load_tls.h"
#include "fastpath/engine/route_plan.h"
#include "fastpath/engine/shuffle.h"
#include "fastpath/engine/status_text.h"
#include "ovpn/take_over.h"

namespace engine {
namespace {

using ovpn::ConnectionState;
using std::chrono::seconds;

constexpr std::uint32_t kSignalTag = 0;
constexpr std::uint32_t kWakeTag = 1;
constexpr std::uint32_t kStreamTag = 2;
constexpr std::uint32_t kAskTag = 3;
// How a server may ask for more than user name and password (OpenVPN protocol: IV_SSO), where there
// is somebody to answer.
constexpr const char* kSignOn = "webauth,openurl,crtext";
// A script is waited for as long as it takes, as in stock; for this long it is no sign of ill
// health.
constexpr auto kScriptPatience = std::chrono::minutes(5);

ScriptFacts script_facts(const Loaded& loaded) {
  ScriptFacts facts;
  facts.config_file = loaded.config_file;
  facts.process_id = static_cast<int>(::getpid());
  facts.started = base::unix_now();
  return facts;
}

const config::CredentialsConfig& credentials_of(const config::TunnelConfig& config) {
  static const config::CredentialsConfig none;
  return config.tls ? config.tls->credentials : none;
}

}  // namespace

Engine::Engine(const EngineParts& parts)
    : parts_(parts),
      config_(parts.loaded->config),
      log_(*parts.log),
      resolver_(wake_),
      connecting_(in_order_to_try(config_.link), tunnel_addresses(config_.device)),
      device_(config_, script_facts(*parts.loaded), log_, parts.network_journal,
              parts.loaded->own.dns, [this](base::Duration so_far) { script_runs(so_far); }),
      link_(config_, parts.ciphers, parts.loaded->own.threads, *parts.packet_time, wake_, log_),
      opener_(loop_, kStreamTag, log_),
      login_(credentials_of(config_), parts.loaded->own.credentials_file,
             rereads_credentials(config_)),
      control_(config_, link_, timers_),
      reporter_(config_.process, link_, device_, *parts.notifier, timers_, log_),
      progress_(pulls()),
      clock_wait_(parts.loaded->own.clock_wait_seconds, release_time()),
      ready_wait_(parts.loaded->own.ready_limit_seconds) {
  loop_.watch(parts.signals->fd(), kSignalTag);
  loop_.watch(wake_.fd(), kWakeTag);
  loop_.watch(parts.ask->fd(), kAskTag);
  device_.keep_by(parts.keeper);
  link_.keep_by(parts.keeper);
  link_.set_key(parts.loaded->key);
  control_.set_login([this](std::string& problem) { return login_.shown(problem); },
                     parts.ask->open() ? kSignOn : "");
}

// After an error. While a script of the device's runs, everything else must still be there.
Engine::~Engine() {
  link_.stop_worker();
  if (device_.is_open()) device_.close("");
}

Ending Engine::run() {
  start();
  while (!ending_) loop();
  finish();
  return *ending_;
}

void Engine::start() {
  const config::CryptoConfig& crypto = config_.crypto;
  if (!config_.tls && !crypto.null_mode) use_cipher(crypto.cipher, crypto.auth);
  reporter_.start();
  if (!take_over()) {
    device_.undo_left_behind();
    // A client learns its addresses from the server, so its device comes later, as in stock.
    if (!pulls()) {
      device_.open();
      if (!config_.device.route_delay_seconds) device_.add_routes();
    }
  }
  connect();
  note_state();
  if (parts_.loaded->own.ready == ReadyWhen::kStarted) {
    announce_ready();
  } else {
    carry_out(ready_wait_.begin(base::monotonic_now()));
  }
}

void Engine::loop() {
  for (const std::uint32_t tag : loop_.wait(timers_.next())) handle_ready(tag);
  const base::TimePoint now = base::monotonic_now();
  while (const auto timer = timers_.take_due(now)) handle_timer(*timer);
}

void Engine::finish() {
  if (*ending_ == Ending::kLeft) return leave_tunnel();
  stop_asking();
  if (*ending_ != Ending::kReload) {
    if (*ending_ == Ending::kStopped) reporter_.set_reason({});
    parts_.notifier->stopping();
    reporter_.set_state(ConnectionState::kExiting);
  }
  if (*ending_ != Ending::kReload) parts_.keeper->stop();
  if (!config_.process.status_file.empty()) reporter_.write_file();
  const WorkerReport last = link_.report();
  link_.stop_worker();
  device_.set_counters(last.counters);
  if (device_.is_open()) device_.close(down_signal_);
}

void Engine::handle_ready(std::uint32_t tag) {
  if (tag == kSignalTag) {
    // What comes behind the last word is for the engine after a reload: it may be asked to stop.
    while (!ending_) {
      const auto signal = parts_.signals->next();
      if (!signal) break;
      handle_signal(*signal);
    }
    return;
  }
  if (tag == kStreamTag) return handle_stream();
  if (tag == kAskTag) return handle_answer_of_person();
  if (tag == kAgentTag) return handle_answer_of_agent();
  wake_.clear();
  if (auto answer = resolver_.take_answer()) {
    carry_out(connecting_.resolved(std::move(*answer), base::monotonic_now()));
  }
  handle_worker_news();
  turn_session();
}

void Engine::handle_signal(int signal) {
  if (signal == ovpn::leave_signal()) {
    // Where nothing can be left, it is an end like any other.
    if (!parts_.keeper->may_leave() || farewell_.begun()) return leave(SIGTERM);
    return end(Ending::kLeft);
  }
  switch (signal) {
    case SIGTERM:
    case SIGINT:
      return leave(signal);
    case SIGHUP:
      if (farewell_.begun()) return;
      log_.notice("SIGHUP: reading the config again");
      parts_.notifier->reloading();
      if (parts_.reload()) {
        down_signal_ = "sighup";
        return end(Ending::kReload);
      }
      log_.warning("the new config is not good; running on with the one in use");
      return parts_.notifier->ready();
    case SIGUSR1:
      return restart("SIGUSR1", {.asked = true});
    case SIGUSR2:
      return reporter_.dump_to_log();
    default:
      return;
  }
}

void Engine::leave(int signal) {
  log_.notice((signal == SIGTERM ? "SIGTERM" : "SIGINT") + std::string(": stopping"));
  down_signal_ = signal_name(signal);
  parts_.keeper->stop();
  carry_out(farewell_.begin(farewell_facts()));
}

Farewell::Facts Engine::farewell_facts() const {
  Farewell::Facts facts;
  facts.notify_tries = config_.keepalive.exit_notify_tries;
  facts.udp = transport() == config::Transport::kUdp;
  facts.session_ready =
      !config_.tls || (control_.running() && control_.stage() == control::SessionStage::kReady);
  facts.peer_known = link_.report().remote.has_value();
  facts.exit_agreed = control_.exit_agreed();
  return facts;
}

void Engine::handle_timer(Timer timer) {
  switch (timer) {
    case Timer::kPause:
    case Timer::kClock:
      return connect();
    case Timer::kStatusFile:
      return reporter_.write_file();
    case Timer::kStatusLine:
      return reporter_.tell_manager();
    case Timer::kHealth:
      return reporter_.feed_watchdog();
    case Timer::kRouteDelay:
      device_.add_routes();
      return note_state();
    case Timer::kExitNotify:
      return carry_out(farewell_.tick());
    case Timer::kConnect:
      return stream_failed("no answer in time (connect-timeout)");
    case Timer::kLastPeer:
      if (link_.report().heard) remember_peer(link_.report().remote);
      return;
    case Timer::kControl:
      return turn_session();
    case Timer::kServerPoll:
      return restart("no answer from the server (server-poll-timeout)", {.at_once = true});
    case Timer::kSession:
      return fail("session-timeout: the server lets a session last no longer");
    case Timer::kReadyWait:
      return carry_out(ready_wait_.tick(base::monotonic_now()));
    case Timer::kCount:
      return;
  }
}

// The main thread waits for a script and so cannot turn: it is the data thread that is vouched for.
void Engine::script_runs(base::Duration so_far) {
  if (so_far >= kScriptPatience) return;
  const base::TimePoint now = base::monotonic_now();
  if (timers_.take_if_due(Timer::kHealth, now)) reporter_.feed_watchdog();
  const bool limited = !ready_ || ending_;  // TimeoutStartSec, TimeoutStopSec
  if (!limited || (patience_asked_ && now - *patience_asked_ < ReadyWait::kStep)) return;
  parts_.notifier->extend_timeout(2 * ReadyWait::kStep);
  patience_asked_ = now;
}

void Engine::handle_worker_news() {
  Worker* worker = link_.worker();
  if (worker == nullptr) return;
  const WorkerReport report = worker->report();
  if (const auto failure = worker->failure()) std::rethrow_exception(failure);
  if (report.wanted_packet_time) {
    parts_.packet_time->keep(*report.wanted_packet_time);
    worker->use_packet_time(*report.wanted_packet_time);
  }
  if (report.tun_gone) {
    return fail("interface " + device_.name() + " is gone: somebody deleted it");
  }
  for (const DropNotice& notice : worker->take_notices()) {
    log_.warning(notice_text(notice, connecting_.waits()));
  }
  if (report.link_gone) return restart("connection lost: " + link_.close_stream(), {});
  if (const std::string problem = worker->take_key_problem(); !problem.empty()) {
    return restart("the new keys cannot be used: " + problem, {});
  }
  // An event may replace the worker; what is left of the old one's events is void then.
  for (const peer::PeerEvent event : worker->take_events()) {
    if (link_.worker() == worker) handle_event(event);
  }
}

// The last word to the service manager is why.
void Engine::fail(const std::string& why, Ending ending) {
  log_.error(why);
  if (!ending_) reporter_.set_reason(why);
  end(ending);
}

void Engine::handle_event(peer::PeerEvent event) {
  switch (event) {
    case peer::PeerEvent::kHeard:
      // In TLS mode it is the handshake that tells.
      if (config_.tls) return;
      return heard(link_.report().remote);
    case peer::PeerEvent::kFloated:
      if (const auto remote = link_.report().remote) {
        log_.notice("the peer moved to " + remote->to_string());
        device_.heard_from(*remote);
        control_.peer_moved(*remote);
      }
      remember_peer(link_.report().remote);
      note_state();
      return reporter_.set_state(reporter_.state());
    case peer::PeerEvent::kPingRestart:
    case peer::PeerEvent::kRemoteExit:
    case peer::PeerEvent::kPingExit:
    case peer::PeerEvent::kInactive:
      return carry_out(after(event, config_.keepalive));
    case peer::PeerEvent::kOptionsDiffer:
      if (const std::string difference = link_.worker()->options_difference(); difference.empty()) {
        log_.notice("the peer is set up alike now");
      } else {
        log_.warning(std::string(ovpn::kPeerDiffers) + difference);
      }
      return reporter_.set_state(reporter_.state());
    case peer::PeerEvent::kRenegotiate:
      log_.info("a key nears its limit: new ones are negotiated");
      return control_.renegotiate(base::monotonic_now());
  }
}

void Engine::heard(const std::optional<base::Endpoint>& remote) {
  timers_.clear(Timer::kPause);
  resolver_.abandon();
  connecting_.heard();
  log_.notice("Peer Connection Initiated with " + (remote ? remote->to_string() : "nobody"));
  log_.notice("Initialization Sequence Completed");
  reporter_.set_state(ConnectionState::kConnected);
  if (remote) device_.heard_from(*remote);
  remember_peer(remote);
  if (parts_.loaded->own.ready == ReadyWhen::kConnected) announce_ready();
  if (config_.device.route_delay_seconds && !device_.routes_up()) {
    timers_.set(Timer::kRouteDelay,
                base::monotonic_now() + seconds(*config_.device.route_delay_seconds));
  }
  parts_.keeper->heard();
  note_state();
}

// A peer with a `remote` is found by that. Whoever was only taken at his word is not worth a note.
void Engine::remember_peer(const std::optional<base::Endpoint>& peer) {
  if (!connecting_.waits() || (!config_.tls && !config_.crypto.authenticates()) || !peer) return;
  const auto later = parts_.last_peer->heard_at(*peer, base::monotonic_now());
  if (later) timers_.set(Timer::kLastPeer, *later);
}

void Engine::use_cipher(const std::string& cipher, const std::string& auth) {
  reporter_.set_cipher({describe_cipher(parts_.ciphers, cipher, auth),
                        cipher_library(parts_.ciphers, cipher, auth)});
}

void Engine::announce_ready() {
  timers_.clear(Timer::kReadyWait);
  if (std::exchange(ready_, true)) return;
  parts_.notifier->ready();
}

}  // namespace engine
