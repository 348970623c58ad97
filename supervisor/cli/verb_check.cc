// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

std::string verdict(const SiteReport& report) {
  std::string text = report.site().name + ": ok, ";
  text +=
      report.engine.fastpath ? "native fast path" : "stock OpenVPN (" + report.engine.reason + ")";
  if (!report.cpus.cpus.empty()) text += ", CPUs " + base::format_cpu_list(report.cpus.cpus);
  return text;
}

int check_one(Context& context, const std::string& name) {
  const auto report = examine_among_others(context, name);
  if (!report) {
    context.complain(report.error().problems);
    return report.error().status;
  }
  context.warn(report->warnings);
  context.warn(report->missing());
  if (context.globals().verbose > 0) {
    for (const std::string& note : report->near.notes) context.note(name + ": " + note);
  }
  context.say(verdict(*report));
  return kOk;
}

}  // namespace

int run_check(Context& context, const Call& call) {
  const auto names = call.operands.empty() ? context.site_names() : call.operands;
  const bool all = call.operands.empty();
  const auto misnamed = all ? context.misnamed_sites() : base::Problems();
  context.complain(misnamed);
  if (names.empty()) context.say("no sites in " + context.paths().sites_folder());
  int status = misnamed.empty() ? kOk : kInvalid;
  for (const std::string& name : names) status = worse(status, check_one(context, name));
  return status;
}

}  // namespace cli
