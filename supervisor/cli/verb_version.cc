// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/verbs.h"

namespace cli {

int run_version(Context& context, const Call&) {
  context.print("tunctl " TUNCTL_VERSION "\n");
  return kOk;
}

}  // namespace cli
