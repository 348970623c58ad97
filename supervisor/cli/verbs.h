// SPDX-License-Identifier: Apache-2.0
// What each verb does; one file each.
#pragma once

#include "supervisor/cli/context.h"
#include "supervisor/cli/verb.h"

namespace cli {

int run_check(Context& context, const Call& call);
int run_completion(Context& context, const Call& call);
int run_complete(Context& context, const Call& call);
int run_import(Context& context, const Call& call);
int run_key_fingerprint(Context& context, const Call& call);
int run_key_gen(Context& context, const Call& call);
int run_list(Context& context, const Call& call);
int run_new(Context& context, const Call& call);
int run_render(Context& context, const Call& call);
int run_version(Context& context, const Call& call);

}  // namespace cli
