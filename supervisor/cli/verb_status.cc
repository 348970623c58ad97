// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/status_text.h"
#include "supervisor/cli/table.h"
#include "supervisor/cli/verbs.h"

namespace cli {
namespace {

struct Views {
  std::vector<SiteView> views;
  int status = kOk;
};

Views view_sites(Context& context, const Call& call) {
  Views found;
  if (call.operands.empty()) context.warn(context.misnamed_sites());
  const auto names = call.operands.empty() ? context.site_names() : call.operands;
  for (const std::string& name : names) {
    auto view = view_site(context, name);
    if (!view) {
      context.complain(view.error().problems);
      found.status = worse(found.status, view.error().status);
      continue;
    }
    found.status = worse(found.status, exit_status_of(*view));
    found.views.push_back(std::move(view).value());
  }
  return found;
}

std::vector<std::string> list_row(Context& context, const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  std::string state(watch::to_string(status.health));
  if (status.health == watch::Health::kDown) {
    state = status.running ? "waiting" : status.unit.active_state;
  }
  if (!view.trouble.empty() && !status.running) state = "invalid";
  const bool connected = status.health != watch::Health::kDown && status.line;
  const auto since = connected ? status.line->since.value_or(0) : base::UnixSeconds{0};
  const auto& word = status.warnings.empty() ? std::string() : "! " + status.warnings.front();
  const std::string engine = engine_words(view);
  return {health_dot(context, status) + " " + status.site,
          state.empty() ? "-" : state,
          engine.empty()              ? "-"
          : engine == "stock OpenVPN" ? "openvpn"
                                      : "fastpath",
          status.line && !status.line->peer.empty() ? status.line->peer : "-",
          since > 0 ? duration_words(context.world().now() - since) : "-",
          view.trouble.empty() ? word : "! " + view.trouble};
}

}  // namespace

int run_status(Context& context, const Call& call) {
  const Views found = view_sites(context, call);
  if (call.has("--json")) {
    context.print(status_json(found.views));
    return found.status;
  }
  if (found.views.empty() && call.operands.empty()) {
    if (found.status == kOk) context.say("no sites; `tunctl new NAME` makes one");
    return found.status;
  }
  std::string text;
  for (const SiteView& view : found.views) {
    text += (text.empty() ? "" : "\n") + status_text(context, view);
  }
  if (!context.globals().quiet) context.show(text);
  return found.status;
}

// As with systemctl, a list that could be made is a success, whatever it lists.
int run_list(Context& context, const Call& call) {
  const Views found = view_sites(context, call);
  if (found.views.empty()) {
    if (found.status == kOk) context.say("no sites; `tunctl new NAME` makes one");
    return found.status;
  }
  std::vector<std::vector<std::string>> rows{{"  SITE", "STATE", "ENGINE", "PEER", "UP", ""}};
  for (const SiteView& view : found.views) rows.push_back(list_row(context, view));
  context.show(format_table(rows));
  return found.views.size() < call.operands.size() ? found.status : kOk;
}

}  // namespace cli
