// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/verbs.h"

namespace cli {

int run_list(Context& context, const Call&) {
  for (const std::string& name : context.site_names()) context.say(name);
  return kOk;
}

}  // namespace cli
