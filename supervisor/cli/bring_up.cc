// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/bring_up.h"

#include <algorithm>
#include <utility>

#include "ovpn/status_line.h"
#include "supervisor/cli/ask_logins.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/watch/wait_online.h"

namespace cli {
namespace {

constexpr base::Duration kLimit = std::chrono::seconds(30);

// Counters change all the time; a person wants to hear of states only.
class Progress {
 public:
  Progress(Context& context, std::string name) : context_(context), name_(std::move(name)) {}

  void operator()(const host::UnitStatus& unit) {
    std::string words = unit.active_state;
    if (const auto line = ovpn::parse_status_line(unit.status_text)) {
      words = std::string(ovpn::to_string(line->state));
      if (!line->note.empty()) words += ", " + line->note;
    }
    if (words.empty() || words == told_) return;
    told_ = words;
    context_.note(name_ + ": " + words);
    // Whoever started it may be the one who knows the answer.
    if (context_.world().in_is_terminal) answer_engine(context_, name_, std::nullopt);
  }

 private:
  Context& context_;
  const std::string name_;
  std::string told_;
};

class Riser {
 public:
  Riser(Context& context, host::ServiceManager& services) : context_(context), services_(services) {
    end_ = context.world().monotonic() + context.globals().timeout.value_or(kLimit);
  }

  int begin(const std::string& name, Begin begin) {
    if (refuse_if_run(context_, name)) return kFailed;
    const std::string unit = site::unit_of(name);
    Progress progress(context_, name);
    const auto outcome = begin == Begin::kStart ? services_.start(unit, left(), progress)
                                                : services_.restart(unit, left(), progress);
    if (!outcome) {
      context_.complain(outcome.error());
      return status_of(outcome.error());
    }
    if (outcome->result == host::JobResult::kDone) return kOk;
    if (outcome->result == host::JobResult::kTimedOut) return kOk;  // waiting will tell
    return tell_reason(name, outcome->message);
  }

  int wait(const std::string& name) {
    Progress progress(context_, name);
    const watch::Clock clock{context_.world().monotonic, context_.world().sleep};
    const auto outcome = watch::wait_online(services_, name, left(), clock, progress);
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
