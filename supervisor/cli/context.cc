// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/context.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/printable.h"
#include "base/problem_list.h"
#include "supervisor/site/site.h"

namespace cli {

Context::Context(World& world, Globals globals)
    : world_(world),
      globals_(std::move(globals)),
      paths_(globals_.root),
      colour_(globals_.colour == "always" ||
              (globals_.colour == "auto" && world.colour_by_default)) {}

void Context::say(std::string_view line) {
  if (!globals_.quiet) world_.out << base::printable(line) << '\n';
}

void Context::print(std::string_view text) { world_.out << text; }

void Context::note(std::string_view line) {
  if (!globals_.quiet) world_.err << "tunctl: " << base::printable(line) << '\n';
}

void Context::complain(std::string_view line) {
  world_.err << "tunctl: " << base::printable(line) << '\n';
}

void Context::complain(const base::Problem& problem) { complain(base::to_string(problem)); }

void Context::complain(const base::Problems& problems) {
  for (const base::Problem& problem : base::shortened(problems)) complain(problem);
}

void Context::warn(const base::Problems& warnings) {
  for (const base::Problem& warning : base::shortened(warnings)) {
    // The place comes first, so that editors find it there as well.
    base::Problem told = warning;
    told.message = "warning: " + told.message;
    note(base::to_string(told));
  }
}

std::string Context::command(std::string_view words) const {
  const std::string root = globals_.root.empty() ? "" : "--root " + globals_.root + " ";
  return "tunctl " + root + std::string(words);
}

std::string Context::command_to_begin(const std::string& name) const {
  return command((globals_.root.empty() ? "enable --now " : "run ") + name);
}

void Context::show(const std::string& text) {
  const bool paged = globals_.pager && world_.out_is_terminal && world_.page(text);
  if (!paged) print(text);
}

base::Result<host::ServiceManager*> Context::services() {
  if (globals_.root.empty()) return world_.services();
  return base::Problem{{},
                       "systemd's units are not below --root",
                       "start sites there with `" + command("run NAME") +
                           "`, and signal that to stop (SIGTERM) or reload (SIGHUP) them"};
}

host::ServiceManager& Context::onlooker(std::string_view site) {
  if (recorded_ == nullptr) recorded_ = world_.recorded(paths_.inside("/run/tunctl"));
  const auto systemd = services();
  if (!systemd) return *recorded_;
  const std::string unit = site::unit_of(site);
  const auto recorded = recorded_->status(unit);
  const bool held = recorded && recorded->active_state != "inactive";
  return held ? *recorded_ : **systemd;
}

const base::Machine& Context::machine() {
  if (!machine_) machine_ = world_.machine ? world_.machine() : base::Machine{};
  return *machine_;
}

int Context::runner_of(const std::string& site) {
  return world_.runner ? world_.runner(paths_.run_folder(), site) : 0;
}

std::shared_ptr<void> Context::hold() {
  if (globals_.dry_run || !world_.hold) return std::make_shared<int>();
  // The first of them that is there. An unprivileged user cannot open the first, and so keep us
  // out.
  auto held = world_.hold({paths_.all_keys_folder(), paths_.inside("/etc/tunctl"),
                           paths_.inside("/etc"), paths_.inside("/")});
  if (held == nullptr) {
    complain(
        "another tunctl command is at work and did not end in time; `pgrep -a tunctl` shows "
        "which, try again when it has");
  }
  return held;
}

std::string Context::painted(std::string_view text, const char* code) const {
  const std::string shown = base::printable(text);
  return colour_ ? "\033[" + std::string(code) + "m" + shown + "\033[0m" : shown;
}

std::vector<std::string> Context::site_names() {
  std::vector<std::string> names;
  for (const std::string& file : world_.files.list(paths_.sites_folder())) {
    if (!file.ends_with(".toml")) continue;
    const std::string name = site::stem_of(file);
    if (site::is_site_name(name)) names.push_back(name);
  }
  return names;
}

base::Problems Context::misnamed_sites() {
  base::Problems warnings;
  const std::string folder = paths_.sites_folder();
  for (const std::string& file : world_.files.list(folder)) {
    // Hidden files are an editor's, or what a killed writer left.
    if (!file.ends_with(".toml") || file.starts_with('.')) continue;
    if (site::is_site_name(site::stem_of(file))) continue;
    warnings.push_back({{folder + "/" + file, 0, 0},
                        "'" + file + "' is no name for a site's file, so this is no site",
                        "call it NAME.toml; a name is 1 to 15 of a-z, 0-9, _ and -, and begins "
                        "with a letter or digit"});
  }
  return warnings;
}

int worse(int a, int b) {
  static constexpr std::array kWorstFirst{
      kUsage, kNotPermitted, kFailed, kTimedOut, kInvalid, kNoSuchSite, kNotUp, kDegraded, kOk};
  const auto rank = [](int status) {
    return std::find(kWorstFirst.begin(), kWorstFirst.end(), status) - kWorstFirst.begin();
  };
  return rank(a) <= rank(b) ? a : b;
}

}  // namespace cli
