// SPDX-License-Identifier: Apache-2.0
#include "supervisor/watch/site_status.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "base/cpu_list.h"

namespace watch {
namespace {

using ovpn::ConnectionState;

constexpr int kExitPermanent = 78;
// Back this often and up for less than this: it will not last.
constexpr std::uint32_t kFlappingRestarts = 3;
constexpr base::UnixSeconds kFlappingSeconds = 60;

bool is_subset(const std::vector<int>& cpus, const std::vector<int>& of) {
  return std::includes(of.begin(), of.end(), cpus.begin(), cpus.end());
}

std::string dark_words(std::uint64_t packets) {
  if (packets == 1) {
    return "1 packet came that fails authentication: key, direction, cipher or auth differ";
  }
  return fmt::format(
      "{} packets came that fail authentication: key, direction, cipher or auth differ", packets);
}

std::string failed_words(std::uint64_t packets) {
  if (packets == 1) return "1 packet failed authentication";
  return fmt::format("{} packets failed authentication", packets);
}

class Judge {
 public:
  explicit Judge(const Observation& seen) : seen_(seen) {
    status_.site = seen.site;
    status_.unit = seen.unit;
    status_.engine = seen.engine;
    status_.line = ovpn::parse_status_line(seen.unit.status_text);
    status_.running = seen.unit.active_state == "active";
    status_.engine_pid = seen.stock ? seen.stock_pid : seen.unit.main_pid;
    status_.threads = seen.stock ? seen.stock->threads : seen.main.threads;
    status_.last_failure = last_failure();
  }

  SiteStatus judge() {
    status_.running ? judge_running() : judge_not_running();
    warn();
    return std::move(status_);
  }

 private:
  void verdict(Health health, std::string cause) {
    status_.health = health;
    status_.cause = std::move(cause);
  }

  // The engine's last words say more than its exit status; the journal may say more than nothing.
  std::string last_failure() const {
    const std::string words = failure_words(seen_.unit);
    if (words.empty()) return {};
    const bool exiting = status_.line && status_.line->state == ConnectionState::kExiting;
    if (exiting && !status_.line->note.empty()) return status_.line->note;
    return seen_.last_error.empty() ? words : words + ": " + seen_.last_error;
  }

  void judge_not_running() {
    const host::UnitStatus& unit = seen_.unit;
    if (!unit.loaded) return verdict(Health::kDown, "the unit is not installed");
    if (unit.active_state == "failed") return verdict(Health::kDown, "failed: " + failure());
    if (unit.sub_state == "auto-restart") {
      return verdict(Health::kDown, "starting again after: " + failure());
    }
    if (unit.active_state == "activating") return verdict(Health::kDown, "starting: " + waiting());
    if (unit.active_state == "deactivating") return verdict(Health::kDown, "stopping");
    verdict(Health::kDown, "stopped");
  }

  std::string failure() const {
    return status_.last_failure.empty() ? "no reason given" : status_.last_failure;
  }

  void judge_running() {
    if (!status_.line) {
      return verdict(Health::kDegraded, "the engine's status is not understood");
    }
    const ovpn::StatusLine& line = *status_.line;
    if (line.state != ConnectionState::kConnected) return verdict(Health::kDown, waiting());
    const bool stock = seen_.engine && !seen_.engine->fastpath;
    if (stock && line.note.starts_with("ERROR")) {
      return verdict(Health::kDegraded, "stock OpenVPN connected with errors, see the log");
    }
    for (const std::string_view trouble : {ovpn::kPeerDiffers, ovpn::kRouteMissing}) {
      if (line.note.starts_with(trouble)) return verdict(Health::kDegraded, line.note);
    }
    const bool young = seen_.now - seen_.unit.active_since < kFlappingSeconds;
    if (seen_.unit.restarts >= kFlappingRestarts && young) {
      return verdict(Health::kDegraded, fmt::format("restarted {} times, last after: {}",
                                                    seen_.unit.restarts, why_it_restarted()));
    }
    verdict(Health::kUp, {});
  }

  // systemd forgets how a process ended once the next one runs.
  std::string why_it_restarted() const {
    if (!status_.last_failure.empty()) return status_.last_failure;
    return seen_.last_error.empty() ? "no reason known" : seen_.last_error;
  }

  // What it waits for while there is no peer.
  std::string waiting() const {
    if (!status_.line) return "the engine has not said anything yet";
    const ovpn::StatusLine& line = *status_.line;
    if (line.auth_failed.value_or(0) > 0) {
      return dark_words(*line.auth_failed);
    }
    const std::string detail = line.note.empty() ? "" : " (" + line.note + ")";
    switch (line.state) {
      case ConnectionState::kResolve:
        return "the peer's name is not resolved" + detail;
      case ConnectionState::kReconnecting:
        return "the peer was lost" + detail;
      case ConnectionState::kInitial:
      case ConnectionState::kConnecting:
        return "it is only beginning" + detail;
      case ConnectionState::kAuthPending:
        return line.note.empty() ? "the server wants more proof" : line.note;
      default:
        return "the peer has not been heard" + detail;
    }
  }

  void warn() {
    warn_of_programs();
    warn_of_cpus();
    // Another program may render the same site otherwise; a restart is advised in any case.
    const bool older = seen_.main.exists && seen_.main.program_deleted;
    if (seen_.site_differs && status_.running && !older) {
      say("the site file, or a file that it names, has changed since the start; `tunctl restart " +
          seen_.site + "` takes it over");
    }
    if (seen_.drop_in_differs) {
      say("the unit's drop-in does not fit the site file; `tunctl enable " + seen_.site +
          "` writes it anew");
    }
    if (seen_.unit.needs_reload) {
      say("unit files changed on disk; `systemctl daemon-reload` takes them over");
    }
    if (!status_.line) return;
    const bool connected = status_.line->state == ConnectionState::kConnected;
    if (connected && status_.line->auth_failed.value_or(0) > 0) {
      say(failed_words(*status_.line->auth_failed));
    }
    const bool told = status_.cause.find(status_.line->note) != std::string::npos;
    if (status_.running && !told) say(status_.line->note);
  }

  void warn_of_programs() {
    const auto older = [this](const host::ProcessFacts& process) {
      if (!process.exists || !process.program_deleted) return;
      say("an older program runs: " + process.program + " was replaced since; `tunctl restart " +
          seen_.site + "` starts the new one");
    };
    older(seen_.main);
    if (seen_.stock) older(*seen_.stock);
  }

  void warn_of_cpus() {
    if (!seen_.engine || seen_.engine->cpus.empty()) return;
    for (const auto& thread : status_.threads) {
      if (thread.cpus.empty() || is_subset(thread.cpus, seen_.engine->cpus)) continue;
      say(fmt::format("thread {} runs on CPUs {}, asked for were {}", thread.name,
                      base::format_cpu_list(thread.cpus),
                      base::format_cpu_list(seen_.engine->cpus)));
    }
  }

  void say(std::string warning) { status_.warnings.push_back(std::move(warning)); }

  const Observation& seen_;
  SiteStatus status_;
};

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kUp:
      return "up";
    case Health::kDegraded:
      return "degraded";
    case Health::kDown:
      break;
  }
  return "down";
}

SiteStatus judge(const Observation& observation) { return Judge(observation).judge(); }

std::string failure_words(const host::UnitStatus& unit) {
  const bool ended = unit.exit_code != 0;
  const bool killed = ended && unit.exit_code != CLD_EXITED;
  if (unit.result == "watchdog") return "it no longer answered (watchdog)";
  if (unit.result == "timeout") return "it was not ready, or did not stop, in time";
  if (killed) return fmt::format("killed by signal {}", unit.exit_status);
  if (ended && unit.exit_status == kExitPermanent) {
    return "exit status 78 (a restart cannot mend it)";
  }
  if (ended && unit.exit_status != 0) return fmt::format("exit status {}", unit.exit_status);
  const bool fine = unit.result.empty() || unit.result == "success";
  return fine ? std::string() : unit.result;
}

}  // namespace watch
