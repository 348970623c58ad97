// SPDX-License-Identifier: Apache-2.0
// What follows from what a peer says, or does not say: another try, the end, a question. Pure.
#pragma once

#include "fastpath/config/tunnel_config.h"
#include "fastpath/control/control_session.h"
#include "fastpath/engine/steps.h"
#include "fastpath/peer/peer.h"
#include "ovpn/connection_state.h"

namespace engine {

// `used_token`: what was refused may have been a server's token, and not the password.
Steps after(const control::AuthFailed& event, bool used_token,
            config::CredentialsConfig::Retry retry);
Steps after(const control::RestartAsked& event);
Steps after(const control::PeerExited& event);
Steps after(const control::SessionFailed& event, bool tls_exit);
// Of the data channel; empty where nothing ends.
Steps after(peer::PeerEvent event, const config::KeepaliveConfig& keepalive);

// How far a handshake has come, in the words that people are told. Begin anew for each session.
class SessionProgress {
 public:
  explicit SessionProgress(bool pulls) : pulls_(pulls) {}

  void begin() { heard_ = false; }
  Steps reached(control::SessionStage stage, ovpn::ConnectionState told);

 private:
  const bool pulls_;
  bool heard_ = false;  // anything of the peer
};

}  // namespace engine
