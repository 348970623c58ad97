// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace engine {

// The statuses this program ends with; service units rely on them.
inline constexpr int kExitStopped = 0;   // asked to stop by SIGTERM or SIGINT
inline constexpr int kExitFailed = 1;    // a restart may mend it
inline constexpr int kExitLasting = 78;  // a restart cannot: config, key, device, permission

}  // namespace engine
