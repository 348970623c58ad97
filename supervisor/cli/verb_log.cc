// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"

namespace cli {
namespace {

// The log of a site that was removed may still be wanted, if there is a unit of that name.
bool is_known(Context& context, const std::string& name) {
  if (context.files().status(context.paths().site_file(name))) return true;
  const auto services = context.services();
  if (!services) return false;
  const auto unit = (*services)->status(site::unit_of(name));
  return unit && (unit->active_state == "active" || unit->active_state == "failed");
}

}  // namespace

int run_log(Context& context, const Call& call) {
  std::vector<std::string> words{"journalctl"};
  for (const std::string& name : call.operands) {
    if (!is_known(context, name)) {
      context.complain("no site is called " + name + "; `tunctl list` shows all");
      return kNoSuchSite;
    }
    words.push_back("--unit=" + site::unit_of(name));
  }
  if (const auto lines = call.value("-n,--lines")) {
    if (!base::parse_number<unsigned>(*lines)) {
      context.complain("--lines takes a number; see `tunctl log --help`");
      return kUsage;
    }
    words.push_back("--lines=" + *lines);
  }
  if (call.has("-f,--follow")) words.push_back("--follow");
  if (!context.globals().pager) words.push_back("--no-pager");
  if (context.globals().dry_run) {
    std::string line = "would run";
    for (const std::string& word : words) line += " " + word;
    context.print(line + "\n");
    return kOk;
  }
  // journalctl would say so at length, and end as if the log were missing.
  if (context.world().may_read_log && !context.world().may_read_log()) {
    context.complain(
        "not permitted: the journal is root's and group systemd-journal's; run this "
        "as root");
    return kNotPermitted;
  }
  const std::string failure = context.world().become(words);
  if (failure.empty()) return kOk;
  context.complain(failure + "; without systemd `tunctl run` writes its log to standard error");
  return kFailed;
}

}  // namespace cli
