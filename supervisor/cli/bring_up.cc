// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/bring_up.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ovpn/status_line.h"
#include "supervisor/cli/progress.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/watch/wait_online.h"

namespace cli {
namespace {

constexpr base::Duration kLimit = std::chrono::seconds(30);

class Riser {
 public:
  Riser(Context& context, host::ServiceManager& services) : context_(context), services_(services) {
    end_ = context.world().monotonic() + context.globals().timeout.value_or(kLimit);
  }

  int begin(const std::string& name, Begin begin) {
    if (refuse_if_run(context_, name)) return kFailed;
    const std::string unit = site::unit_of(name);
    const auto before = services_.status(unit);
    const int old_pid = begin == Begin::kRestart && before ? before->main_pid : 0;
    Progress& progress = told_.try_emplace(name, context_, name, old_pid).first->second;
    const auto outcome = begin == Begin::kStart ? services_.start(unit, left(), progress.by())
                                                : services_.restart(unit, left(), progress.by());
    if (!outcome) {
      context_.complain(outcome.error());
      return status_of(outcome.error());
    }
    if (outcome->result == host::JobResult::kDone) return kOk;
    if (outcome->result == host::JobResult::kTimedOut) return kOk;  // waiting will tell
    return tell_reason(name, outcome->message);
  }

  int wait(const std::string& name) {
    Progress& progress = told_.at(name);
    const watch::Clock clock{context_.world().monotonic, context_.world().sleep};
    const auto outcome = watch::wait_online(services_, name, left(), clock, progress.by());
    if (!outcome) {
      context_.complain(outcome.error());
      return status_of(outcome.error());
    }
    if (outcome->result != watch::WaitResult::kOnline) return tell_reason(name, "");
    const auto line = ovpn::parse_status_line(outcome->last.status_text);
    const bool peer = line && !line->peer.empty();
    context_.say(name + ": up" + (peer ? ", peer " + line->peer : ""));
    return kOk;
  }

 private:
  base::Duration left() const {
    return std::max(end_ - context_.world().monotonic(), base::Duration::zero());
  }

  int tell_reason(const std::string& name, const std::string& words) {
    const auto view = view_site(context_, name);
    std::string reason = view ? view->status.cause : "";
    if (reason.empty() || reason == "stopped") reason = words.empty() ? reason : words;
    const bool trying = view && view->status.unit.active_state != "failed" &&
                        view->status.unit.active_state != "inactive";
    context_.complain(name + ": not up: " + reason +
                      (trying ? "; it goes on trying, `tunctl status " + name + "` shows how it is"
                              : "; `tunctl log " + name + "` says more"));
    return kNotUp;
  }

  Context& context_;
  host::ServiceManager& services_;
  base::TimePoint end_;
  std::map<std::string, Progress> told_;
};

}  // namespace

int bring_up(Context& context, host::ServiceManager& services,
             const std::vector<std::string>& names, Begin begin) {
  Riser riser(context, services);
  int status = kOk;
  std::vector<std::string> begun;
  for (const std::string& name : names) {
    const int one = riser.begin(name, begin);
    if (one == kOk) begun.push_back(name);
    status = worse(status, one);
  }
  for (const std::string& name : begun) status = worse(status, riser.wait(name));
  return status;
}

}  // namespace cli
