// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/farewell.h"

#include <chrono>
#include <utility>

namespace engine {

using std::chrono::seconds;

Steps Farewell::begin(const Facts& facts) {
  const bool again = std::exchange(begun_, true);
  const bool can_tell =
      facts.notify_tries > 0 && facts.udp && facts.session_ready && facts.peer_known;
  if (!can_tell || again) return {step::End{Ending::kStopped}};
  left_ = facts.notify_tries;
  if (!facts.exit_agreed) return tick();
  // That channel repeats by itself what gets lost: once is enough.
  left_ = 0;
  return {step::SendExit{}, step::Wake{Timer::kExitNotify, seconds(1)}};
}

Steps Farewell::tick() {
  if (left_ <= 0) return {step::End{Ending::kStopped}};
  --left_;
  return {step::SendExitNotify{}, step::Wake{Timer::kExitNotify, seconds(1)}};
}

}  // namespace engine
