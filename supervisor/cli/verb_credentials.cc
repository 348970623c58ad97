// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/ask_logins.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

constexpr base::Duration kReloadLimit = std::chrono::seconds(30);

// What they need to be used from now on. An engine that runs has its copy; one that waits for them
// is told, if that can be.
void use_now(Context& context, const std::string& name) {
  const auto services = context.services();
  if (services && engine_wants_login(context, name)) {
    const auto outcome = (*services)->reload(site::unit_of(name), kReloadLimit);
    if (outcome && outcome->result == host::JobResult::kDone) {
      return context.say(name + ": reloaded");
    }
  }
  const auto unit = context.onlooker(name).status(site::unit_of(name));
  const std::string state = unit ? unit->active_state : "";
  if (state == "active" || state == "activating") {
    return context.say("next: " + context.command("reload " + name) +
                       " (until then the engine goes on with what it has)");
  }
  context.say("next: " + context.command_to_begin(name));
}

}  // namespace

int run_credentials(Context& context, const Call& call) {
  const std::string& name = call.operands.at(0);
  const auto source = call.value("--credentials");
  if (const auto status = answer_engine(context, name, source)) return *status;
  auto& world = context.world();
  const auto loaded =
      launch::load_site(world.files, context.paths(), name, world.cpu_count, world.now());
  // One that is not as it should be, perhaps through a login, can be given another.
  if (!loaded && loaded.error().asks.empty()) return complain(context, loaded.error());
  const auto& asks = loaded ? loaded->asks : loaded.error().asks;
  if (asks.empty()) {
    context.complain(name +
                     " wants neither user name nor passphrase, or has them inside its config");
    return kFailed;
  }
  const auto logins = ask_logins(context, name, asks, source);
  if (!logins) {
    context.complain(logins.error());
    return worse(status_of(logins.error()), kFailed);
  }
  const auto held = context.hold();
  if (!held) return kFailed;
  plan::Desired desired;
  add_logins(context, *logins, desired);
  const int status = carry_out(context, desired);
  if (status != kOk || context.globals().dry_run) return status;
  for (const GivenLogin& given : *logins) context.say(name + ": " + given.login + " stored");
  use_now(context, name);
  return kOk;
}

}  // namespace cli
