// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fastpath/engine/steps.h"

namespace engine {

// How an engine stops that was asked to: the peer is told first, once a second, as often as
// explicit-exit-notify says, where it can be told. Events in, steps out.
class Farewell {
 public:
  struct Facts {
    int notify_tries = 0;       // explicit-exit-notify
    bool udp = true;            // over TCP the end of the connection tells
    bool session_ready = true;  // TLS mode: there are keys
    bool peer_known = false;
    bool exit_agreed = false;  // the handshake's channel has a word for it
  };

  bool begun() const { return begun_; }
  Steps begin(const Facts& facts);  // asked to stop; a second time: at once
  Steps tick();                     // Timer::kExitNotify

 private:
  bool begun_ = false;
  int left_ = 0;
};

}  // namespace engine
