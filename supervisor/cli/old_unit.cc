// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/old_unit.h"

#include <algorithm>
#include <utility>

#include "base/cpu_list.h"
#include "base/text.h"

namespace cli {
namespace {

constexpr std::string_view kService = ".service";
// Where Debian's generator puts what /etc/default/openvpn asks for at boot.
constexpr const char* kGenerated = "/run/systemd/generator/openvpn.service.wants/";

ReportFailure failure(std::string message, std::string remedy, int status = kFailed) {
  return {status, {{{}, std::move(message), std::move(remedy)}}};
}

bool is_on(const host::UnitStatus& status) {
  return status.active_state == "active" || status.active_state == "activating" ||
         status.active_state == "reloading";
}

// Between two starts, or in one that follows a failure at once: stock OpenVPN says that it is ready
// before it is, so that a unit in a loop is active for a moment each time.
bool is_failing(const host::UnitStatus& status) {
  return is_on(status) && (status.sub_state == "auto-restart" ||
                           (status.active_state == "activating" && status.restarts > 0));
}

// "openvpn-client@office.service" -> "office"; "my-vpn.service" -> "my-vpn".
std::string name_of(const std::string& unit) {
  std::string name = unit.substr(0, unit.size() - kService.size());
  const auto at = name.find('@');
  return at == std::string::npos ? name : name.substr(at + 1);
}

// Every unit that Debian's folders have a config for.
std::vector<std::string> units_with_config(Context& context) {
  std::vector<std::string> units;
  for (const ForeignUnits& kind : foreign_units()) {
    for (const std::string& file : context.files().list(context.paths().inside(kind.folder))) {
      if (!file.ends_with(".conf")) continue;
      units.push_back(kind.prefix + file.substr(0, file.size() - 5) + std::string(kService));
    }
  }
  return units;
}

std::string near_words(Context& context, const std::string& word) {
  const bool whole = word.find('@') != std::string::npos;
  std::vector<std::string> names;
  for (const std::string& unit : units_with_config(context)) {
    names.push_back(whole ? unit.substr(0, unit.size() - kService.size()) : name_of(unit));
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto near = base::nearest(word, views);
  if (near) return "did you mean " + std::string(*near) + "?";
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all.empty() ? "there are no configs below /etc/openvpn" : "there are: " + all;
}

// A bare name may be several units': the one that runs is meant.
base::Result<std::string, ReportFailure> unit_called(Context& context,
                                                     host::ServiceManager& services,
                                                     const std::string& word) {
  if (word.ends_with(kService)) return word;
  if (word.find('@') != std::string::npos) return word + std::string(kService);
  std::vector<std::string> all, running;
  for (const std::string& unit : units_with_config(context)) {
    if (name_of(unit) != word) continue;
    all.push_back(unit);
    const auto status = services.status(unit);
    if (status && is_on(*status)) running.push_back(unit);
  }
  if (running.size() == 1) return running.front();
  if (all.size() == 1) return all.front();
  if (all.size() > 1) {
    std::string names;
    for (const std::string& unit : all) names += (names.empty() ? "" : " or ") + unit;
    return failure("more than one unit can be meant by " + word, "say " + names, kUsage);
  }
  const auto status = services.status(word + std::string(kService));
  if (status && status->loaded) return word + std::string(kService);
  return failure("systemd knows no unit of OpenVPN called " + word, near_words(context, word));
}

// The kernel's word, where neither unit nor command line has one: somebody bound the process, or
// what started it. What the machine's first process may not use either is nobody's wish.
std::vector<int> cpus_of_process(World& world, int pid) {
  if (pid <= 0) return {};
  const auto process = world.process(pid), first = world.process(1);
  if (process.threads.empty() || first.threads.empty()) return {};
  const auto& cpus = process.threads.front().cpus;
  return cpus == first.threads.front().cpus ? std::vector<int>{} : cpus;
}

// What /etc/init.d/openvpn started by itself leaves its pid there, and no unit holds it.
std::string run_by_init_script(Context& context, const std::string& name) {
  for (const std::string& file :
       {"/run/openvpn/" + name + ".pid", "/run/openvpn." + name + ".pid"}) {
    const auto text = context.files().read(context.paths().inside(file));
    const auto pid = text ? base::parse_number<int>(base::trim(*text)) : std::nullopt;
    if (!pid) continue;
    const auto process = context.world().process(*pid);
    if (process.exists && process.program.ends_with("/openvpn")) return std::to_string(*pid);
  }
  return {};
}

class Finder {
 public:
  Finder(Context& context, host::ServiceManager& services, const std::string& word)
      : context_(context), services_(services), word_(word) {}

  base::Result<OldUnit, ReportFailure> find() {
    auto unit = unit_called(context_, services_, word_);
    if (!unit) return unit.error();
    old_.unit = std::move(unit).value();
    old_.name = name_of(old_.unit);
    if (!site::name_of_unit(old_.unit).empty()) {
      return failure(old_.unit + " is a site of tunctl already", "`tunctl list` shows all");
    }
    auto status = services_.status(old_.unit);
    if (!status) return ReportFailure{status_of(status.error()), {status.error()}};
    status_ = std::move(status).value();
    if (!status_.loaded) {
      return failure("systemd knows no unit " + old_.unit, near_words(context_, word_));
    }
    auto command = read_old_command(status_.command, folder(), context_.world().cpu_count);
    if (!command)
      return failure(old_.unit + ": " + command.error().message, command.error().remedy);
    old_.command = std::move(command).value();
    if (auto missing = config_is_there()) return *missing;
    return look();
  }

 private:
  // "-/srv/vpn": a folder that need not be there.
  std::string folder() const {
    const std::string& written = status_.working_folder;
    return written.starts_with('-') ? written.substr(1) : written;
  }

  std::optional<ReportFailure> config_is_there() {
    const std::string path = context_.paths().inside(old_.command.config);
    const auto bytes = context_.files().read(path);
    if (bytes) return std::nullopt;
    const int status = status_of(bytes.error());
    if (status == kNotPermitted) {
      return failure(bytes.error().message, "run this as root", kNotPermitted);
    }
    return failure(old_.unit + ": " + bytes.error().message, near_words(context_, word_));
  }

  base::Result<OldUnit, ReportFailure> look() {
    old_.active = is_on(status_);
    old_.failing = is_failing(status_);
    old_.pid = status_.main_pid;
    old_.enabled = status_.unit_file_state == "enabled";
    const std::string link = context_.paths().inside(kGenerated + old_.unit);
    // Without links of its own something else may start it, and only a mask keeps it down.
    const std::string& state = status_.unit_file_state;
    old_.generated = state == "enabled-runtime" || state == "static" || state == "generated" ||
                     context_.files().status(link).has_value();
    if (const std::string pid = old_.active ? "" : run_by_init_script(context_, old_.name);
        !pid.empty()) {
      return failure("/etc/init.d/openvpn started " + old_.name + " itself (pid " + pid +
                         "), and no unit holds it",
                     "/etc/init.d/openvpn stop " + old_.name + " && systemctl start " + old_.unit);
    }
    old_.cpus = status_.cpu_affinity;
    if (old_.cpus.empty()) old_.cpus = old_.command.cpus;
    if (old_.cpus.empty()) old_.cpus = cpus_of_process(context_.world(), old_.pid);
    for (const std::string& program : old_.command.left_behind) {
      old_.warnings.push_back(
          {{},
           old_.unit + " runs openvpn by " + program + "; that is left behind",
           "`systemctl edit " + site::unit_of(old_.name) + "` for what it did"});
    }
    return std::move(old_);
  }

  Context& context_;
  host::ServiceManager& services_;
  const std::string& word_;
  host::UnitStatus status_;
  OldUnit old_;
};

}  // namespace

std::vector<std::string> adoptable_units(Context& context) {
  std::vector<std::string> units = units_with_config(context);
  for (std::string& unit : units) unit.resize(unit.size() - kService.size());
  return units;
}

base::Result<OldUnit, ReportFailure> find_old_unit(Context& context, host::ServiceManager& services,
                                                   const std::string& word) {
  return Finder(context, services, word).find();
}

}  // namespace cli
