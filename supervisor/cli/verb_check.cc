// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

// As the engine's next start would have it.
std::string placed(const placement::CpuChoice& cpus) {
  if (!cpus.reasons.empty()) return ", " + cpus.reasons.front();
  return cpus.cpus.empty() ? "" : ", CPUs " + base::format_cpu_list(cpus.cpus);
}

std::string verdict(const SiteReport& report, const placement::CpuChoice& cpus) {
  std::string text = report.site().name + ": ok, ";
  text +=
      report.engine.fastpath ? "native fast path" : "stock OpenVPN (" + report.engine.reason + ")";
  return text + placed(cpus);
}

int check_one(Context& context, const std::string& name) {
  const auto report = examine_among(context, name, {}, InTheWay::kRunningOrEnabled);
  if (!report) {
    context.complain(report.error().problems);
    return report.error().status;
  }
  const auto cpus = cpus_now(context, *report);
  context.warn(report->warnings);
  context.warn(report->missing());
  if (context.globals().verbose > 0) {
    for (const std::string& note : report->near.notes) context.note(name + ": " + note);
    for (const std::string& reason : cpus.reasons) context.note(name + ": " + reason);
  }
  context.say(verdict(*report, cpus));
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
