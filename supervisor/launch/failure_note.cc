// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/failure_note.h"

#include <algorithm>

#include "base/text.h"

namespace launch {

std::string format_failure_note(const FailureNote& note) {
  std::string message = note.message;
  std::replace(message.begin(), message.end(), '\n', ' ');
  return std::to_string(note.exit_status) + "\n" + message + "\n";
}

std::optional<FailureNote> parse_failure_note(std::string_view text) {
  const auto lines = base::split(text, '\n');
  if (lines.size() != 3) return std::nullopt;
  const auto status = base::parse_number<int>(lines[0]);
  if (!status || *status <= 0) return std::nullopt;
  return FailureNote{*status, std::string(lines[1])};
}

}  // namespace launch
