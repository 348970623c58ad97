// SPDX-License-Identifier: Apache-2.0
// How `prepare` tells `exec` that it failed. systemd looks at the exit status of the main process
// alone when it decides whether to start again (RestartPreventExitStatus=), so prepare leaves its
// reason in the runtime folder and exec ends with prepare's status.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace launch {

inline constexpr int kExitFailed = 1;      // a restart may mend it
inline constexpr int kExitPermanent = 78;  // it cannot (EX_CONFIG)
inline constexpr const char* kFailureFile = "failure";
// Why a reload was refused; the tunnel runs on as it was.
inline constexpr const char* kReloadFailureFile = "reload-failure";

struct FailureNote {
  int exit_status = kExitFailed;
  std::string message;  // one line

  friend bool operator==(const FailureNote&, const FailureNote&) = default;
};

std::string format_failure_note(const FailureNote& note);
std::optional<FailureNote> parse_failure_note(std::string_view text);

}  // namespace launch
