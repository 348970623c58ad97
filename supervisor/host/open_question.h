// SPDX-License-Identifier: Apache-2.0
// The other end of the socket at which a native engine asks a person (tunctl-fastpath(8), --ask).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace host {

struct OpenQuestion {
  std::string kind;  // "text", "secret" (not to be seen while it is typed), "login" (a new file)
  std::string text;
  // The one answer; returns why it was not taken, or nothing. Waits for a few seconds at most.
  std::function<std::string(std::string_view)> answer;
};

// Nothing: nobody listens there, or nothing is asked.
std::optional<OpenQuestion> open_question(const std::string& socket);

}  // namespace host
