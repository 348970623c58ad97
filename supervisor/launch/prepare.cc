// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/prepare.h"

#include <signal.h>
#include <unistd.h>

#include <fmt/format.h>

#include <utility>

#include "base/file.h"
#include "base/problem_list.h"
#include "base/time.h"
#include "supervisor/host/conflicts.h"
#include "supervisor/host/file_lock.h"
#include "supervisor/host/owned_folder.h"
#include "supervisor/host/unit_record.h"
#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/launch/load_site.h"
#include "supervisor/launch/make_plan.h"
#include "supervisor/launch/neighbours.h"
#include "supervisor/launch/start_digest.h"
#include "supervisor/placement/placement.h"

namespace launch {
namespace {

constexpr mode_t kPrivate = 0400;
constexpr mode_t kReadable = 0444;  // launch.json holds no secret, and status reads it
constexpr const char* kTurnFile = "/.placing";
constexpr base::Duration kTurnLimit = std::chrono::seconds(5);

struct Failure {
  int exit_status = kExitPermanent;
  base::Problems problems;
};
template <typename T>
using Outcome = base::Result<T, Failure>;

Failure permanent(base::Problems problems) { return {kExitPermanent, std::move(problems)}; }
Failure permanent(base::Problem problem) { return {kExitPermanent, {std::move(problem)}}; }
Failure passing(base::Problem problem) { return {kExitFailed, {std::move(problem)}}; }
Failure passing(std::string message) { return passing(base::Problem{{}, std::move(message), {}}); }

class Preparation {
 public:
  Preparation(const PrepareRequest& request, host::FileStore& files, const base::Log& log,
              host::OwnedFolder& folder)
      : request_(request), files_(files), log_(log), folder_(folder) {}

  std::optional<Failure> run() {
    if (auto failure = is_run_elsewhere()) return failure;
    if (!request_.reload) {
      folder_.remove(kLaunchFile);
      folder_.remove(kStartDigestFile);
    }
    folder_.remove(kFailureFile);
    folder_.remove(kReloadFailureFile);
    auto loaded =
        load_site(files_, request_.paths, request_.site, request_.cpu_count, base::unix_now());
    if (!loaded) return permanent(loaded.error().problems);
    if (!loaded->missing.empty()) return permanent(loaded->missing);
    if (auto failure = credentials_are_there(loaded->site)) return failure;
    for (const auto& warning : base::shortened(loaded->warnings)) {
      log_.warning(base::to_string(warning));
    }
    state_folder_ = make_state_folder();
    const auto rendered = render_for_unit(*loaded);
    if (!rendered) return rendered.error();
    const auto plan = plan_for(*loaded, *rendered);
    if (!plan) return plan.error();
    if (auto failure = request_.reload ? same_as_running(*plan) : is_free(rendered->profile)) {
      return failure;
    }
    if (auto failure = write(*rendered, *plan, loaded->site.dns)) return failure;
    note_digest(*loaded);
    if (request_.reload && request_.main_pid > 0) ::kill(request_.main_pid, SIGHUP);
    return std::nullopt;
  }

 private:
  // A unit beside a `tunctl run` of the same site would fight it for port and interface.
  std::optional<Failure> is_run_elsewhere() {
    if (request_.starts_as_root) return std::nullopt;  // that is us
    const int pid = host::site_holder(request_.paths.run_folder(), request_.site);
    if (pid == 0) return std::nullopt;
    return passing({{},
                    fmt::format("`tunctl run` holds this site (pid {})", pid),
                    "stop that, or leave the unit stopped"});
  }

  // Below /var/lib where that can be written, else below /run: a read-only root must not keep a
  // tunnel down. Never in the runtime folder, which systemd empties at every stop and restart.
  std::string make_state_folder() {
    std::string failure = give(request_.paths.state_folder(request_.site));
    if (failure.empty()) return request_.paths.state_folder(request_.site);
    const std::string until_boot = request_.paths.volatile_state_folder(request_.site);
    log_.notice(failure + "; state is kept in " + until_boot + " until the next boot");
    failure = give(until_boot);
    if (failure.empty()) return until_boot;
    log_.warning(failure + "; state is lost at every stop");
    return folder_.path();
  }

  std::string give(const std::string& folder) {
    return host::give_folder(site::folder_of(folder), request_.site, folder_.owner(),
                             folder_.group());
  }

  // What systemd should have given the unit. The engine would only say that a file is not there.
  std::optional<Failure> credentials_are_there(const site::Site& site) {
    const std::string key = site::key_with_credential(site);
    if (key.empty()) return std::nullopt;
    const std::string value = key == "secret" ? site.described->secret
                                              : site.credentials.of(key.substr(key.find('.') + 1));
    const std::string path = site::credential_path(site.name, value);
    if (files_.status(path)) return std::nullopt;
    const std::string id = value.substr(site::kCredential.size());
    return permanent({site.place_of(key), "the unit has no credential " + id,
                      "`systemctl edit tunctl@" + site.name + "`: LoadCredential=" + id +
                          ":/path, in [Service]"});
  }

  Outcome<render::Rendered> render_for_unit(const LoadedSite& loaded) {
    auto input = loaded.render_input(request_.paths);
    input.folder = folder_.path();
    input.state_folder = state_folder_;
    input.for_unit = true;
    input.starts_as_root = request_.starts_as_root;
    auto rendered = render::render(input);
    if (!rendered) return permanent(rendered.error());
    for (const auto& note : rendered->notes) log_.info(note);
    return std::move(rendered).value();
  }

  Outcome<LaunchPlan> plan_for(const LoadedSite& loaded, const render::Rendered& rendered) {
    const auto engine = render::choose_engine(loaded.site, rendered.profile);
    if (!engine) return permanent(engine.error());
    const auto cpus = cpus_for(loaded.site);
    if (!cpus) {
      base::Problem problem = cpus.error();
      problem.place = loaded.site.place_of("run.cpus");
      return permanent(std::move(problem));
    }
    LaunchPlan plan =
        make_plan({loaded.site, rendered.profile, *engine, *cpus, request_.programs.fastpath,
                   request_.programs.openvpn, folder_.path(), state_folder_, rendered.nice,
                   request_.paths.root()});
    if (auto missing = missing_program(request_.programs, *engine)) {
      return permanent(*std::move(missing));
    }
    return plan;
  }

  // A running engine stays where its start has put it.
  base::Result<placement::CpuChoice> cpus_for(const site::Site& site) {
    const std::string& asked = site.run.cpus;
    if (!site::is_cpus_word(asked)) return placement::choose_cpus(asked, request_.cpu_count);
    const auto old = request_.reload ? read_old_plan() : std::nullopt;
    if (old && old->cpus_word == asked) {
      return placement::CpuChoice{old->cpus, {}, old->cpus_reasons};
    }
    const base::Machine machine = request_.machine ? request_.machine() : base::Machine{};
    // Until this site's plan is written, so that of sites that start together each sees the others.
    turn_ = host::lock_file(request_.paths.run_folder() + kTurnFile, kTurnLimit);
    if (!turn_) log_.warning("run.cpus: other sites that start now are not taken into account");
    auto choice = placement::decide({asked, site.run.threads}, machine,
                                    neighbours_of(site.name, files_, request_.paths));
    for (const std::string& reason : choice.reasons) log_.info("run.cpus: " + reason);
    return choice;
  }

  std::optional<LaunchPlan> read_old_plan() {
    const auto text = folder_.read(kLaunchFile);
    auto plan = parse_launch_plan(kLaunchFile, text.value_or(""));
    return plan ? std::optional(*std::move(plan)) : std::nullopt;
  }

  std::optional<Failure> same_as_running(LaunchPlan plan) {
    const auto text = folder_.read(kLaunchFile);
    const auto old = parse_launch_plan(kLaunchFile, text.value_or(""));
    if (!old) return passing(old.error());
    plan.reason = old->reason;  // words only
    if (plan == *old) return std::nullopt;
    return passing({{},
                    "what changed in the site file cannot be taken over by a running tunnel",
                    request_.starts_as_root ? "end that `tunctl run` and run it again"
                                            : "tunctl restart " + request_.site});
  }

  // The service manager, who starts us, keeps what the engine before left to the next one. Of an
  // engine that runs it has a copy as well: then that one is the holder.
  static bool keeps_for_us(const host::Holder& holder) { return holder.pid == ::getppid(); }

  // A port or an interface that is taken may be free at the next try, so neither is for good.
  std::optional<Failure> is_free(const ovpn::Profile& profile) {
    const Footing footing = footing_of(profile);
    if (footing.port > 0) {
      const auto holder = host::udp_port_holder(static_cast<std::uint16_t>(footing.port),
                                                footing.local, ::getppid());
      if (holder && !keeps_for_us(*holder)) {
        return passing(
            {{},
             fmt::format("UDP port {} is taken by {}", footing.port, host::to_string(*holder)),
             "stop that, or give this site another port"});
      }
    }
    if (footing.interface.empty()) return std::nullopt;
    const auto holder = host::interface_holder(footing.interface, ::getppid());
    // A tun device that no process holds was made beforehand for us to open.
    if (!holder || keeps_for_us(*holder) || (holder->pid == 0 && host::is_tun(footing.interface)))
      return std::nullopt;
    const std::string by =
        holder->pid == 0 ? "is no tun device" : "is held by " + host::to_string(*holder);
    return passing({{},
                    "interface " + footing.interface + " exists and " + by,
                    "stop that, or write another 'dev'"});
  }

  std::optional<Failure> write(const render::Rendered& rendered, const LaunchPlan& plan,
                               const site::DnsOptions& dns) {
    for (const auto& artifact : rendered.artifacts) {
      const std::string name = site::file_name_of(artifact.path);
      std::string failure = folder_.write(name, artifact.bytes, kPrivate);
      if (!failure.empty()) return passing(std::move(failure));
    }
    mark_interface(plan.interface, name_server_right(dns));
    // Last: with it the folder is whole.
    std::string failure = folder_.write(kLaunchFile, format_launch_plan(plan), kReadable);
    if (!failure.empty()) return passing(std::move(failure));
    return std::nullopt;
  }

  // What fastpath/root_helper/caller.cc reads.
  static std::string name_server_right(const site::DnsOptions& dns) {
    if (dns.use.empty()) return "link";
    return dns.use[0] == "off" ? "none" : "machine";
  }

  // Only `status` asks for it; a tunnel is not kept down by it.
  void note_digest(const LoadedSite& loaded) {
    const std::string digest = start_digest(loaded, request_.paths, request_.starts_as_root);
    const std::string failure = folder_.write(kStartDigestFile, digest, kPrivate);
    if (!failure.empty()) log_.warning(failure);
  }

  // For units/80-tunctl.rules, which makes network managers leave the interface alone.
  void mark_interface(const std::string& interface, const std::string& name_servers) {
    if (interface.empty()) return;
    const std::string marks = request_.paths.interfaces_folder();
    std::string failure = files_.make_folder(marks, 0755);
    // The name in it tells whoever clears up whose mark it is; the rest is for tunctl-helper, which
    // does not take an engine's word for what the site lets be changed.
    const std::string text = request_.site + "\nname-servers " + name_servers + "\n";
    if (failure.empty()) failure = files_.write(marks + "/" + interface, text, 0444);
    if (!failure.empty()) log_.warning(failure);
  }

  const PrepareRequest& request_;
  host::FileStore& files_;
  const base::Log& log_;
  host::OwnedFolder& folder_;
  std::string state_folder_;
  base::UniqueFd turn_;
};

}  // namespace

int prepare_site(const PrepareRequest& request, host::FileStore& files, const base::Log& log) {
  const bool foreground = request.starts_as_root;
  auto folder = host::OwnedFolder::open(foreground ? request.paths.foreground_folder(request.site)
                                                   : request.paths.runtime_folder(request.site));
  if (!folder) {
    log.error(base::to_string(folder.error()) +
              "; this is a part of the unit, use `tunctl start` or `tunctl run`");
    return kExitFailed;
  }
  const auto failure = Preparation(request, files, log, *folder).run();
  if (!failure) return 0;
  for (const auto& problem : base::shortened(failure->problems)) {
    log.error(base::to_string(problem));
  }
  // The running tunnel has not failed by a reload that was refused.
  const FailureNote note{request.reload ? kExitFailed : failure->exit_status,
                         base::to_string(failure->problems.front())};
  const std::string unwritten = folder->write(request.reload ? kReloadFailureFile : kFailureFile,
                                              format_failure_note(note), kReadable);
  if (!unwritten.empty()) log.error(unwritten);
  return note.exit_status;
}

}  // namespace launch
