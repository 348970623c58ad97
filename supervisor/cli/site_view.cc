// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/site_view.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/text.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/launch/start_digest.h"
#include "supervisor/render/drop_in.h"
#include "supervisor/watch/observe.h"

namespace cli {
namespace {

constexpr const char* kLaunchFileName = "/launch.json";

std::optional<watch::EngineFacts> engine_facts(Context& context, const std::string& name) {
  const bool foreground = context.runner_of(name) != 0;
  const std::string folder =
      foreground ? context.paths().foreground_folder(name) : context.paths().runtime_folder(name);
  const std::string path = folder + kLaunchFileName;
  const auto text = context.files().read(path);
  if (!text) return std::nullopt;
  const auto plan = launch::parse_launch_plan(path, *text);
  if (!plan) return std::nullopt;
  return watch::EngineFacts{plan->fastpath, plan->reason,    plan->program,     plan->interface,
                            plan->cpus,     plan->cpus_word, plan->cpus_reasons};
}

// False as well for whoever may not read what the start has left, and where an older program has
// left nothing.
bool site_differs(Context& context, const launch::LoadedSite& loaded) {
  const auto& paths = context.paths();
  const std::string& name = loaded.site.name;
  const bool foreground = context.runner_of(name) != 0;
  const std::string folder =
      foreground ? paths.foreground_folder(name) : paths.runtime_folder(name);
  const auto noted = context.files().read(folder + "/" + launch::kStartDigestFile);
  if (!noted || noted->empty()) return false;
  const std::string now = launch::start_digest(loaded, paths, foreground);
  return !now.empty() && *noted != now;
}

std::string without_affinity(std::string_view drop_in) {
  std::string text;
  for (const auto line : base::split(drop_in, '\n')) {
    if (!line.starts_with("CPUAffinity=")) text.append(line).append("\n");
  }
  return text;
}

}  // namespace

bool drop_in_differs(Context& context, const SiteReport& report, int systemd_version) {
  const auto text = context.files().read(context.paths().drop_in(report.site().name));
  if (!text) return false;
  const std::string wanted = wanted_drop_in(report, report.cpus.cpus, systemd_version);
  if (!site::is_cpus_word(report.site().run.cpus)) return *text != wanted;
  // What a word came to when it was written binds nobody: each start decides anew.
  return without_affinity(*text) != without_affinity(wanted);
}

std::string wanted_drop_in(const SiteReport& report, const std::vector<int>& cpus,
                           int systemd_version) {
  return render::render_drop_in(
      {report.site(), report.near.profile, cpus, systemd_version, report.near.nice});
}

base::Result<SiteView, ReportFailure> view_site(Context& context, const std::string& name) {
  SiteView view;
  view.runner = context.runner_of(name);
  auto report = examine(context, name);
  host::ServiceManager& manager = context.onlooker(name);
  auto& world = context.world();
  auto seen = watch::observe({manager, world.process, world.last_error}, name,
                             engine_facts(context, name), world.now());
  if (!seen) return ReportFailure{status_of(seen.error()), {seen.error()}};
  if (!report) {
    // A site file that was deleted under a running tunnel must not hide the tunnel.
    const bool running = seen->unit.active_state == "active";
    if (report.error().status == kNoSuchSite && !running) return report.error();
    // Whoever may not read the keys may still see how the tunnel fares.
    if (report.error().status != kNotPermitted) {
      view.trouble = base::to_string(report.error().problems.front());
    }
  } else {
    view.description = report->site().description;
    seen->site_differs = site_differs(context, report->loaded);
    seen->drop_in_differs = drop_in_differs(context, *report, manager.version());
    view.report = std::move(report).value();
  }
  view.status = watch::judge(*seen);
  return view;
}

int exit_status_of(const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  if (status.health == watch::Health::kDown) return kNotUp;
  // What runs was started from files that would not start it again.
  const bool sound =
      status.health == watch::Health::kUp && status.warnings.empty() && view.trouble.empty();
  return sound ? kOk : kDegraded;
}

std::string duration_words(base::UnixSeconds seconds) {
  if (seconds < 0) seconds = 0;
  constexpr base::UnixSeconds kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < kMinute) return fmt::format("{}s", seconds);
  if (seconds < kHour) return fmt::format("{}min {}s", seconds / kMinute, seconds % kMinute);
  if (seconds < kDay) {
    return fmt::format("{}h {}min", seconds / kHour, seconds % kHour / kMinute);
  }
  return fmt::format("{}d {}h", seconds / kDay, seconds % kDay / kHour);
}

std::string size_words(std::uint64_t bytes) {
  static constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 1000 && unit + 1 < kUnits.size()) {
    size /= 1000;
    ++unit;
  }
  return fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string iso_time(base::UnixSeconds time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(time)));
}

}  // namespace cli
