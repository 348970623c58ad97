// SPDX-License-Identifier: Apache-2.0
// Whether a run goes on with what another left, and whether what a dead one left may wait for the
// next. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fastpath/engine/kept_state.h"

namespace engine {

inline constexpr std::size_t kUnheardRunsMax = 3;
inline constexpr std::uint64_t kUnheardSeconds = 60;

struct TakeOverFacts {
  ConfigHash config{};    // as this run loaded it
  bool device = false;    // the descriptor is there
  std::uint64_t now = 0;  // seconds since boot
};

// Empty: everything fits. Else why not, for a log: whatever it is, everything is made anew then.
std::string why_not_taken_over(const KeptState& kept, const TakeOverFacts& facts);

// The runs to be written down when this one takes over: those of the last minute, and this one.
std::vector<std::uint64_t> unheard_with(const KeptState& kept, std::uint64_t now);

// systemd's words about how a main process ended, as ExecStopPost= has them: $SERVICE_RESULT,
// $EXIT_CODE and $EXIT_STATUS (systemd.exec(5)). True: by itself, or for a restart, so that
// Restart=always brings the next one. What may be the end is taken for the end: undone needlessly
// it is set again.
bool comes_back(std::string_view result, std::string_view code, std::string_view status);

}  // namespace engine
