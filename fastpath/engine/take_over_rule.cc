// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/take_over_rule.h"

#include <algorithm>

#include "fastpath/engine/exit_status.h"

namespace engine {
namespace {

// A time that has not come is of another boot, or damaged.
bool within_the_minute(std::uint64_t then, std::uint64_t now) {
  return then <= now && now - then < kUnheardSeconds;
}

}  // namespace

std::string why_not_taken_over(const KeptState& kept, const TakeOverFacts& facts) {
  if (kept.config != facts.config) return "config or keys are others now";
  if (!kept.device || !facts.device) return "it had no interface yet";
  const auto recent = std::ranges::count_if(
      kept.unheard, [&](std::uint64_t then) { return within_the_minute(then, facts.now); });
  if (static_cast<std::size_t>(recent) < kUnheardRunsMax) return {};
  return "three runs within a minute did, and none of them heard the peer";
}

std::vector<std::uint64_t> unheard_with(const KeptState& kept, std::uint64_t now) {
  std::vector<std::uint64_t> runs;
  for (const std::uint64_t then : kept.unheard) {
    if (within_the_minute(then, now)) runs.push_back(then);
  }
  runs.push_back(now);
  return runs;
}

bool comes_back(std::string_view result, std::string_view code, std::string_view status) {
  if (result == "watchdog" || result == "core-dump" || result == "signal") return true;
  if (result == "oom-kill") return true;
  if (result != "success" && result != "exit-code") return false;
  return code == "exited" && status != std::to_string(kExitLasting);
}

}  // namespace engine
