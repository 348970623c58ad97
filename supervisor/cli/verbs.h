// SPDX-License-Identifier: Apache-2.0
// What each verb does.
#pragma once

#include "supervisor/cli/context.h"
#include "supervisor/cli/verb.h"

namespace cli {

int run_adopt(Context& context, const Call& call);
int run_check(Context& context, const Call& call);
int run_completion(Context& context, const Call& call);
int run_complete(Context& context, const Call& call);
int run_credentials(Context& context, const Call& call);
int run_disable(Context& context, const Call& call);
int run_doctor(Context& context, const Call& call);
int run_enable(Context& context, const Call& call);
int run_exec(Context& context, const Call& call);
int run_import(Context& context, const Call& call);
int run_key_fingerprint(Context& context, const Call& call);
int run_key_trust(Context& context, const Call& call);
int run_key_migrate(Context& context, const Call& call);
int run_key_gen(Context& context, const Call& call);
int run_list(Context& context, const Call& call);
int run_log(Context& context, const Call& call);
int run_new(Context& context, const Call& call);
int run_prepare(Context& context, const Call& call);
int run_reload(Context& context, const Call& call);
int run_remove(Context& context, const Call& call);
int run_render(Context& context, const Call& call);
int run_restart(Context& context, const Call& call);
int run_run(Context& context, const Call& call);
int run_start(Context& context, const Call& call);
int run_status(Context& context, const Call& call);
int run_stop(Context& context, const Call& call);
int run_topology(Context& context, const Call& call);
int run_version(Context& context, const Call& call);
int run_wait_online(Context& context, const Call& call);

}  // namespace cli
