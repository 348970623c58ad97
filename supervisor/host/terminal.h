// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace host {

// Asks the person at this process's terminal (/dev/tty) for one line, which is shown while it is
// typed only with `echo`. Nothing where there is no terminal, or at the end of input. The caller
// wipes what it gets. A signal that ends or stops the process finds the terminal as it was. Used by
// one thread, and by none beside others that set signal handlers.
std::optional<std::string> ask_on_terminal(const std::string& prompt, bool echo);

}  // namespace host
