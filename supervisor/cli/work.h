// SPDX-License-Identifier: Apache-2.0
// What several verbs do alike: look at a site from all sides, and change the machine by a plan.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/launch/load_site.h"
#include "supervisor/placement/placement.h"
#include "supervisor/plan/plan.h"
#include "supervisor/render/render.h"
#include "supervisor/site/cross_check.h"

namespace cli {

// Everything there is to know about a site before it runs.
struct SiteReport {
  launch::LoadedSite loaded;
  render::Rendered near;  // as an engine in its unit gets it
  render::EngineDecision engine;
  placement::CpuChoice cpus;  // of a list; a word's are cpus_now()'s to find
  base::Problems warnings;

  // What a person has yet to give (`tunctl credentials`); no engine is started without it.
  const base::Problems& missing() const { return loaded.missing; }
  const site::Site& site() const { return loaded.site; }
};

struct ReportFailure {
  int status = kInvalid;
  base::Problems problems;
};

// Prints what is wrong and returns the exit status for it.
int complain(Context& context, const launch::LoadError& error);

base::Result<SiteReport, ReportFailure> examine(Context& context, std::string_view name);
// The same for a list. What a word for run.cpus comes to at this moment; each start decides anew.
placement::CpuChoice cpus_now(Context& context, const SiteReport& report);
// The interface that a config asks for is there and is another thing, such as a network card: a
// start would try in vain for ever.
std::optional<base::Problem> interface_in_the_way(Context& context, const ovpn::Profile& profile,
                                                  const base::Place& place);
// The first step alone: the site and every file it names, whether or not it can run yet.
base::Result<launch::LoadedSite, ReportFailure> load(Context& context, std::string_view name);
// Both with the site's files as `files` shows them: those of a site that is yet to be written.
base::Result<SiteReport, ReportFailure> examine(Context& context, std::string_view name,
                                                host::FileStore& files);
base::Result<launch::LoadedSite, ReportFailure> load(Context& context, std::string_view name,
                                                     host::FileStore& files);
// Which other sites are in the way; what the rest has in common with a site is a warning.
enum class InTheWay { kRunning, kRunningOrEnabled };
// The same with what is in the way: running OpenVPN units, sites among `together`, and others as
// `in_the_way` says.
base::Result<SiteReport, ReportFailure> examine_among(Context& context, std::string_view name,
                                                      const std::vector<std::string>& together,
                                                      InTheWay in_the_way);

// What of it is said of a report that is there already. `in_place_of`: a unit of stock OpenVPN that
// will not run beside the site.
std::optional<ReportFailure> stand_among(Context& context, SiteReport& report,
                                         const std::vector<std::string>& together,
                                         InTheWay in_the_way, std::string_view in_place_of = {});

// Debian's units of stock OpenVPN, and where their configs lie.
struct ForeignUnits {
  const char* folder;
  const char* prefix;  // "openvpn-client@"
};
std::span<const ForeignUnits> foreign_units();

// Footprints of all other sites that can be read, and of running openvpn@, openvpn-client@ and
// openvpn-server@ units.
std::vector<site::Footprint> others_in_the_way(Context& context, std::string_view name);

// kNotPermitted if the kernel or systemd refused for lack of rights, else kFailed.
int status_of(const base::Problem& problem);
// Complains, with the remedy where rights are wanting, and gives that status.
int fail(Context& context, const base::Problem& problem);
// False: the folder of all sites' keys is there and may not be looked into, so that what is found
// of a site is not all there is.
bool may_see_keys(Context& context);
// True, with a complaint that names the process: a `tunctl run` holds the site. `wish`: the verb,
// where that process can be told the same ("stop", "reload").
bool refuse_if_run(Context& context, const std::string& name, std::string_view wish = {});

// Plans and applies; under --dry-run prints the actions, under -v each one as it is done.
int carry_out(Context& context, const plan::Desired& desired);
// The same, and the service manager is told. Prints what failed.
int carry_out(Context& context, const plan::Desired& desired, host::ServiceManager& services);

}  // namespace cli
