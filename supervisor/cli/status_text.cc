// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/status_text.h"

#include <fmt/format.h>

#include "base/cpu_list.h"
#include "base/printable.h"
#include "supervisor/render/cipher_advice.h"

namespace cli {
namespace {

constexpr std::size_t kLabelWidth = 8;

class Paragraph {
 public:
  void line(std::string_view label, std::string_view value) {
    if (value.empty()) return;
    text_ += fmt::format("{:>{}}: {}\n", label, kLabelWidth, value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

std::string state_words(Context& context, const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  std::string words(watch::to_string(status.health));
  if (status.health == watch::Health::kUp) words = context.green(words);
  if (status.health == watch::Health::kDegraded) words = context.yellow(words);
  if (status.health == watch::Health::kDown && status.running) words = context.yellow(words);
  if (!status.cause.empty()) words += ", " + base::printable(status.cause);
  const bool connected = status.health != watch::Health::kDown;
  const auto since = connected && status.line && status.line->since ? *status.line->since
                                                                    : status.unit.active_since;
  if (status.running && since > 0) {
    words += fmt::format(" (for {})", duration_words(context.world().now() - since));
  }
  return words;
}

std::string engine_line(const SiteView& view) {
  std::string words = engine_words(view);
  if (const auto& engine = view.status.engine) {
    if (!engine->reason.empty()) words += ", because of " + engine->reason;
  } else if (view.report && !view.report->engine.reason.empty()) {
    words += ", because of " + view.report->engine.reason;
  }
  return words;
}

std::string traffic_words(const ovpn::StatusLine& line) {
  std::string words;
  if (line.rx_bytes && line.tx_bytes) {
    words = size_words(*line.rx_bytes) + " in, " + size_words(*line.tx_bytes) + " out";
  }
  if (const auto drops = line.drops.value_or(0); drops > 0) {
    words += fmt::format(", {} packet{} dropped", drops, drops == 1 ? "" : "s");
  }
  if (line.heard_seconds) words += fmt::format(", heard {}s ago", *line.heard_seconds);
  return words;
}

// tunctl-fastpath(8) explains each.
std::string drop_words(const ovpn::StatusLine& line) {
  std::string words;
  const auto add = [&words](std::string_view reason, std::uint64_t count) {
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", reason, count);
  };
  if (line.auth_failed.value_or(0) > 0) add("auth-failed", *line.auth_failed);
  for (const auto& [reason, count] : line.drop_reasons) add(reason, count);
  return words;
}

// As the kernel holds it, thread by thread where they differ.
std::string cpu_words(const watch::SiteStatus& status) {
  std::string words;
  std::string last;
  for (const host::ThreadFacts& thread : status.threads) {
    const std::string cpus = base::format_cpu_list(thread.cpus);
    words += (words.empty() ? "" : ", ") + thread.name + " on " + cpus;
  }
  if (!status.engine) return words;
  std::string asked = status.engine->cpus_word;
  if (const auto& cpus = status.engine->cpus; !cpus.empty()) {
    asked += (asked.empty() ? "" : " = ") + base::format_cpu_list(cpus);
  }
  if (!asked.empty()) words += (words.empty() ? "asked for " : "; asked for ") + asked;
  return words;
}

// What `tunctl run` holds has no unit: systemctl would show nothing of it.
std::string unit_words(const SiteView& view) {
  const host::UnitStatus& unit = view.status.unit;
  std::string words = unit.unit;
  if (view.runner > 0) words = fmt::format("none, `tunctl run` (pid {}) holds it", view.runner);
  if (view.runner < 0) words = "none, `tunctl run` holds it";
  if (!unit.unit_file_state.empty()) words += ", " + unit.unit_file_state;
  if (!unit.active_state.empty()) words += ", " + unit.active_state + " " + unit.sub_state;
  if (unit.main_pid > 0) words += fmt::format(", pid {}", unit.main_pid);
  if (unit.restarts > 0) {
    words += fmt::format(", {} restart{}", unit.restarts, unit.restarts == 1 ? "" : "s");
  }
  return words;
}

}  // namespace

std::string engine_words(const SiteView& view) {
  const auto& running = view.status.engine;
  const bool known = running || view.report;
  if (!known) return "";
  const bool fastpath = running ? running->fastpath : view.report->engine.fastpath;
  return fastpath ? "native fast path" : "stock OpenVPN";
}

std::string health_dot(Context& context, const watch::SiteStatus& status) {
  switch (status.health) {
    case watch::Health::kUp:
      return context.green("●");
    case watch::Health::kDegraded:
      return context.yellow("●");
    case watch::Health::kDown:
      break;
  }
  if (status.running) return context.yellow("○");
  return status.unit.active_state == "failed" ? context.red("○") : "○";
}

std::string status_text(Context& context, const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  Paragraph text;
  text.line("State", state_words(context, view));
  text.line("Engine", engine_line(view));
  if (status.line) {
    text.line("Peer", base::printable(status.line->peer));
    text.line("Traffic", traffic_words(*status.line));
  }
  if (status.engine) text.line("Dev", status.engine->interface);
  text.line("CPUs", cpu_words(status));
  text.line("Unit", unit_words(view));
  if (status.cause.find(status.last_failure) == std::string::npos) {
    text.line("Failure", base::printable(status.last_failure));
  }
  for (const std::string& warning : status.warnings) text.line("Warning", context.yellow(warning));
  if (!view.trouble.empty()) text.line("Site", context.red(view.trouble));
  if (context.globals().verbose > 0) {
    if (status.line) text.line("Drops", drop_words(*status.line));
    if (status.line) text.line("Crypto", base::printable(status.line->crypto));
    if (status.line) text.line("Offload", base::printable(status.line->offload));
    if (status.engine) {
      for (const auto& reason : status.engine->cpus_reasons) text.line("Placed", reason);
    }
    text.line("Engine's", base::printable(status.unit.status_text));
    if (view.report) {
      for (const std::string& note : view.report->near.notes) text.line("Note", note);
      const auto& profile = view.report->near.profile;
      for (const std::string& note : render::cipher_advice(profile, context.machine())) {
        text.line("Note", note);
      }
    }
  }
  const std::string title = view.description.empty() ? "" : " - " + view.description;
  return health_dot(context, status) + " " + status.site + title + "\n" + text.take();
}

}  // namespace cli
