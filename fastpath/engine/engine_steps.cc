// SPDX-License-Identifier: Apache-2.0
// What an engine does when something was decided (steps.h).
#include <string>
#include <utility>
#include <variant>

#include "fastpath/engine/engine.h"

namespace engine {

// What a step leads to may end the engine, or decide something else: what was to come is done all
// the same, as it was said together.
void Engine::carry_out(Steps steps) {
  for (const Step& each : steps) {
    std::visit([this](const auto& step) { take(step); }, each);
  }
}

void Engine::take(const step::Say& say) { log_(say.level, say.text); }

void Engine::take(const step::TellState& tell) {
  reporter_.set_state(tell.state.value_or(reporter_.state()));
}

void Engine::take(const step::TellReason& tell) { reporter_.set_reason(tell.why); }

void Engine::take(const step::UseTargets& use) { use_targets(use.targets); }

void Engine::take(const step::Wake& wake) {
  timers_.set(wake.timer, base::monotonic_now() + wake.after);
}

void Engine::take(const step::Unset& unset) { timers_.clear(unset.timer); }

void Engine::take(const step::Restart& wanted) { restart(wanted.reason, wanted.way); }

void Engine::take(const step::End& over) {
  over.why.empty() ? end(over.ending) : fail(over.why, over.ending);
}

void Engine::take(const step::AskPatience& wanted) { parts_.notifier->extend_timeout(wanted.time); }

void Engine::take(const step::SendExit&) { control_.send_exit(base::monotonic_now()); }

void Engine::take(const step::SendExitNotify&) {
  if (Worker* worker = link_.worker()) worker->send_exit_notify();
}

void Engine::take(const step::ForgetToken&) { control_.forget_token(); }

void Engine::take(const step::AskChallenge& asked) { login_.challenged(asked.challenge); }

void Engine::take(const step::AskLogin&) { login_.refused(); }

}  // namespace engine
