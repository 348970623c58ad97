// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fastpath/control/control_session.h"
#include "fastpath/engine/timers.h"
#include "fastpath/engine/tunnel_link.h"

namespace engine {

// A ControlSession with everything it must not have itself: its packets go by the data thread,
// which owns the socket, its timeouts are the main thread's, and what it should remember from one
// session to the next (a server's auth-token) is kept here. Used by the main thread.
class ControlDriver {
 public:
  ControlDriver(const config::TunnelConfig& config, TunnelLink& link, Timers& timers)
      : config_(config), link_(link), timers_(timers) {}

  // What later sessions show as user name and password, and how they can be asked for more; see
  // control::SessionParts.
  void set_login(std::function<control::ShownLogin(std::string&)> login, std::string sign_on) {
    login_ = std::move(login);
    sign_on_ = std::move(sign_on);
  }
  // A new session over the link as it stands; `peer`: whom to talk to, nothing for a server that
  // waits. `call`: where a server speaks first. Throws base::FatalError that names what is wrong
  // with a key or certificate.
  void begin(const std::optional<base::Endpoint>& peer, config::Transport transport,
             const std::optional<base::Endpoint>& call);
  void end();  // the session is over, whatever it still had to say
  bool running() const { return session_ != nullptr; }
  // Counts sessions: whoever handles an event may end the one it came from.
  int number() const { return number_; }

  // First what came for the session and what is due; then its events; then what it sends. In this
  // order a key is installed before the peer can learn that it is there.
  void turn(base::TimePoint now);
  std::optional<control::SessionEvent> next_event();
  void send(base::TimePoint now);
  control::SessionStage stage() const { return session_->stage(); }

  std::string peer_name() const { return session_ ? session_->peer_name() : ""; }

  void renegotiate(base::TimePoint now);
  bool exit_agreed() const { return session_ && session_->exit_agreed(); }
  void send_exit(base::TimePoint now);
  void peer_moved(const base::Endpoint& to);
  bool used_token() const { return used_token_; }
  bool has_token() const { return token_.has_value(); }
  void answer(base::TimePoint now, const std::string& text);  // to what the server asks meanwhile
  void forget_token();
  // In place of the password, of an earlier session: user name and token.
  using Token = std::pair<std::string, std::string>;
  const std::optional<Token>& token() const { return token_; }
  void set_token(Token token) { token_ = std::move(token); }
  // What the server pushed to another run from the same address: for the next session alone.
  void remember_push(std::vector<std::string> options) { remembered_ = std::move(options); }

 private:
  void take_packets(base::TimePoint now);
  void send_packets(base::TimePoint now);
  void clear_timer() { timers_.clear(Timer::kControl); }

  const config::TunnelConfig& config_;
  TunnelLink& link_;
  Timers& timers_;
  std::unique_ptr<control::ControlSession> session_;
  std::optional<base::Endpoint> peer_;
  std::vector<std::string> remembered_;
  std::optional<Token> token_;
  bool used_token_ = false;
  std::function<control::ShownLogin(std::string&)> login_;
  std::string sign_on_;
  int number_ = 0;
};

}  // namespace engine
