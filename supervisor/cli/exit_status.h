// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cli {

// What the tunctl command says by its exit status, documented in tunctl(8). Of several sites the
// worst counts.
enum ExitStatus {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kNotUp = 3,
  kNoSuchSite = 4,
  kInvalid = 5,  // the site file, its config or its key
  kDegraded = 6,
  kNotPermitted = 7,
  kTimedOut = 124,
};

}  // namespace cli
