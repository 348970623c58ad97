// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/work.h"

#include <algorithm>
#include <utility>

#include "ovpn/lexer.h"
#include "supervisor/cli/old_command.h"
#include "supervisor/launch/make_plan.h"
#include "supervisor/launch/neighbours.h"
#include "supervisor/launch/programs.h"
#include "supervisor/plan/apply.h"

namespace cli {
namespace {

int exit_status(launch::LoadFailure failure) {
  switch (failure) {
    case launch::LoadFailure::kNoSuchSite:
      return kNoSuchSite;
    case launch::LoadFailure::kNotPermitted:
      return kNotPermitted;
    case launch::LoadFailure::kInvalid:
      break;
  }
  return kInvalid;
}

void append(base::Problems& to, const base::Problems& from) {
  to.insert(to.end(), from.begin(), from.end());
}

constexpr ForeignUnits kForeign[] = {{"/etc/openvpn", "openvpn@"},
                                     {"/etc/openvpn/client", "openvpn-client@"},
                                     {"/etc/openvpn/server", "openvpn-server@"}};

std::optional<host::UnitStatus> running(Context& context, const std::string& unit) {
  const auto services = context.services();
  if (!services) return std::nullopt;
  const auto status = (*services)->status(unit);
  const bool runs =
      status && (status->active_state == "active" || status->active_state == "activating");
  return runs ? std::optional(*status) : std::nullopt;
}

// The config, and what the unit's command line says beside it: Debian's clients have nobind there.
ovpn::Profile profile_of(const std::string& path, const std::string& bytes,
                         const host::UnitStatus& unit, int cpu_count) {
  ovpn::Profile profile = ovpn::lex_config(path, bytes).profile;
  const auto command = read_old_command(unit.command, unit.working_folder, cpu_count);
  if (!command) return profile;
  for (const auto* lines : {&command->before, &command->behind}) {
    profile.directives.insert(profile.directives.end(), lines->begin(), lines->end());
  }
  return profile;
}

void add_running_units(Context& context, const ForeignUnits& units,
                       std::vector<site::Footprint>& footprints) {
  const std::string folder = context.paths().inside(units.folder);
  for (const std::string& file : context.files().list(folder)) {
    if (!file.ends_with(".conf")) continue;
    const std::string unit = units.prefix + site::stem_of(file) + ".service";
    const auto status = running(context, unit);
    if (!status) continue;
    const std::string path = folder + "/" + file;
    const auto bytes = context.files().read(path);
    if (!bytes) continue;
    auto print =
        site::footprint_of(unit, profile_of(path, *bytes, *status, context.world().cpu_count));
    print.owner = "running unit " + unit;
    footprints.push_back(std::move(print));
  }
}

int carry_out(Context& context, const plan::Desired& desired, host::ServiceManager* services) {
  const auto present = plan::observe(desired, context.files(), services);
  if (!present) return fail(context, present.error());
  const auto actions = plan::plan(desired, *present);
  for (const plan::Action& action : actions) {
    if (context.globals().dry_run) context.print("would " + plan::describe(action) + "\n");
    if (!context.globals().dry_run && context.globals().verbose > 0) {
      context.note(plan::describe(action));
    }
  }
  if (context.globals().dry_run) return kOk;
  const auto problem = plan::apply(actions, context.files(), services);
  return problem ? fail(context, *problem) : kOk;
}

}  // namespace

int complain(Context& context, const launch::LoadError& error) {
  context.complain(error.problems);
  return exit_status(error.failure);
}

std::span<const ForeignUnits> foreign_units() { return kForeign; }

base::Result<launch::LoadedSite, ReportFailure> load(Context& context, std::string_view name) {
  return load(context, name, context.files());
}

base::Result<launch::LoadedSite, ReportFailure> load(Context& context, std::string_view name,
                                                     host::FileStore& files) {
  auto& world = context.world();
  auto loaded = launch::load_site(files, context.paths(), name, world.cpu_count, world.now());
  if (!loaded) return ReportFailure{exit_status(loaded.error().failure), loaded.error().problems};
  return std::move(loaded).value();
}

namespace {

// What can be known of a site that need not be able to run: all but engine and CPUs.
base::Result<SiteReport, ReportFailure> examine_files(Context& context, std::string_view name,
                                                      host::FileStore& files) {
  auto loaded = load(context, name, files);
  if (!loaded) return loaded.error();
  SiteReport report{std::move(loaded).value(), {}, {}, {}, {}};
  report.warnings = report.loaded.warnings;
  auto input = report.loaded.render_input(context.paths());
  input.folder = context.paths().runtime_folder(name);
  input.for_unit = true;
  auto near = render::render(input);
  if (!near) return ReportFailure{kInvalid, near.error()};
  report.near = std::move(near).value();
  append(report.warnings, render::weak_points(report.near.profile));
  return report;
}

}  // namespace

base::Result<SiteReport, ReportFailure> examine(Context& context, std::string_view name) {
  return examine(context, name, context.files());
}

base::Result<SiteReport, ReportFailure> examine(Context& context, std::string_view name,
                                                host::FileStore& files) {
  auto report = examine_files(context, name, files);
  if (!report) return report;
  auto engine = render::choose_engine(report->site(), report->near.profile);
  if (!engine) return ReportFailure{kInvalid, engine.error()};
  report->engine = *engine;
  // Whoever asks whether the site can run shall not be told so by the start first. The native
  // engine comes with tunctl.
  const auto programs = launch::find_programs(context.files(), context.world().program);
  if (!engine->fastpath) {
    if (auto missing = launch::missing_program(programs, *engine)) {
      report->warnings.push_back(*std::move(missing));
    }
  }
  const std::string& asked = report->site().run.cpus;
  if (site::is_cpus_word(asked)) return report;
  auto cpus = placement::choose_cpus(asked, context.world().cpu_count);
  if (!cpus) return ReportFailure{kInvalid, {cpus.error()}};
  report->cpus = *cpus;
  return report;
}

std::optional<base::Problem> interface_in_the_way(Context& context, const ovpn::Profile& profile,
                                                  const base::Place& place) {
  if (!context.world().foreign_interface) return std::nullopt;
  const std::string name = launch::footing_of(profile).interface;
  if (name.empty() || !context.world().foreign_interface(name)) return std::nullopt;
  return base::Problem{place, "interface " + name + " exists and is no tun device",
                       "give the tunnel another name with 'dev'"};
}

placement::CpuChoice cpus_now(Context& context, const SiteReport& report) {
  const site::Site& site = report.site();
  if (!site::is_cpus_word(site.run.cpus)) return report.cpus;
  return placement::decide({site.run.cpus, site.run.threads}, context.machine(),
                           launch::neighbours_of(site.name, context.files(), context.paths()));
}

namespace {

// A site that cannot run yet has taken its port and addresses all the same.
const std::optional<site::Footprint>& footprint_among(Context& context, const std::string& name) {
  const auto known = context.footprints().find(name);
  if (known != context.footprints().end()) return known->second;
  auto& print = context.footprints()[name];
  const auto report = examine_files(context, name, context.files());
  if (report) print = site::footprint_of(name, report->near.profile);
  return print;
}

}  // namespace

namespace {

std::optional<ReportFailure> foreign_interface(Context& context, const SiteReport& report) {
  const auto& profile = report.near.profile;
  // Of a described site that names no dev this is the file, which has the interface's name.
  const auto* line = profile.last("dev");
  const bool kept = !report.site().described && line != nullptr;
  auto problem =
      interface_in_the_way(context, profile, kept ? line->place : report.site().place_of("dev"));
  if (!problem) return std::nullopt;
  return ReportFailure{kInvalid, {*std::move(problem)}};
}

}  // namespace

std::vector<site::Footprint> others_in_the_way(Context& context, std::string_view name) {
  std::vector<site::Footprint> footprints;
  for (const std::string& other : context.site_names()) {
    if (other == name) continue;
    if (const auto& print = footprint_among(context, other)) footprints.push_back(*print);
  }
  for (const ForeignUnits& units : kForeign) add_running_units(context, units, footprints);
  return footprints;
}

namespace {

// Under systemd, or under a `tunctl run` of its own; or it will with the next boot, if that counts.
bool site_runs(Context& context, const std::string& name, InTheWay in_the_way) {
  const auto status = context.onlooker(name).status(site::unit_of(name));
  if (!status) return false;
  if (in_the_way == InTheWay::kRunningOrEnabled && status->unit_file_state.starts_with("enabled")) {
    return true;
  }
  return status->active_state == "active" || status->active_state == "activating";
}

}  // namespace

base::Result<SiteReport, ReportFailure> examine_among(Context& context, std::string_view name,
                                                      const std::vector<std::string>& together,
                                                      InTheWay in_the_way) {
  auto report = examine(context, name);
  if (!report) return report;
  if (auto failure = stand_among(context, *report, together, in_the_way)) {
    return *std::move(failure);
  }
  return report;
}

std::optional<ReportFailure> stand_among(Context& context, SiteReport& report,
                                         const std::vector<std::string>& together,
                                         InTheWay in_the_way, std::string_view in_place_of) {
  if (auto failure = foreign_interface(context, report)) return failure;
  const std::string& name = report.site().name;
  const auto mine = site::footprint_of(name, report.near.profile);
  for (const site::Footprint& other : others_in_the_way(context, name)) {
    if (other.name == in_place_of) continue;
    auto crossed = site::cross_check(mine, {&other, 1});
    const bool a_site = site::is_site_name(other.name);
    const bool now = !a_site || site_runs(context, other.name, in_the_way) ||
                     std::find(together.begin(), together.end(), other.name) != together.end();
    if (now && !crossed.problems.empty()) return ReportFailure{kInvalid, crossed.problems};
    append(report.warnings, crossed.problems);
    append(report.warnings, crossed.warnings);
  }
  return std::nullopt;
}

int status_of(const base::Problem& problem) {
  const bool refused = host::is_not_permitted(problem) ||
                       problem.message.ends_with("Permission denied") ||
                       problem.message.ends_with("Operation not permitted");
  return refused ? kNotPermitted : kFailed;
}

int fail(Context& context, const base::Problem& problem) {
  base::Problem told = problem;
  const int status = status_of(problem);
  if (status == kNotPermitted && told.remedy.empty()) told.remedy = "run this as root";
  context.complain(told);
  return status;
}

bool may_see_keys(Context& context) {
  const std::string folder = context.paths().all_keys_folder();
  if (!context.files().status(folder)) return true;
  // A folder cannot be read as a file by anybody; who may not look into it is told so first.
  const auto bytes = context.files().read(folder);
  return bytes || status_of(bytes.error()) != kNotPermitted;
}

bool refuse_if_run(Context& context, const std::string& name, std::string_view wish) {
  const int pid = context.runner_of(name);
  if (pid == 0) return false;
  const std::string who = pid > 0 ? std::to_string(pid) : "its process";
  const std::string way = wish == "stop"     ? "stop it there: kill "
                          : wish == "reload" ? "reload it there: kill -HUP "
                                             : "stop that first: kill ";
  context.complain(name + ": `tunctl run` holds this site (pid " + who + "); " + way + who);
  return true;
}

int carry_out(Context& context, const plan::Desired& desired) {
  return carry_out(context, desired, nullptr);
}

int carry_out(Context& context, const plan::Desired& desired, host::ServiceManager& services) {
  return carry_out(context, desired, &services);
}

}  // namespace cli
