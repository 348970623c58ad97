// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/adopted_site.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cpu_list.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/profile_file.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"
#include "supervisor/cli/adoption.h"
#include "supervisor/cli/ask_logins.h"
#include "supervisor/cli/derived_name.h"
#include "supervisor/cli/judge_scripts.h"
#include "supervisor/cli/planned_files.h"
#include "supervisor/launch/programs.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/kept_config.h"

namespace cli {
namespace {

constexpr mode_t kSecretMode = 0600, kSecretFolderMode = 0700;
constexpr mode_t kSiteMode = 0644, kFolderMode = 0755;
constexpr const char* kResolved = "systemd-resolved.service";

// Of these each line adds to those before; of all others the last one counts.
bool adds_up(std::string_view directive) {
  constexpr std::array<std::string_view, 9> kNames{"dhcp-option", "plugin", "pull-filter",
                                                   "push",        "remote", "route",
                                                   "route-ipv6",  "setenv", "setenv-safe"};
  return std::find(kNames.begin(), kNames.end(), directive) != kNames.end();
}

std::string toml_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

class SitePlanner {
 public:
  SitePlanner(Context& context, host::ServiceManager& services, const OldUnit& old,
              const AdoptWish& wish)
      : context_(context), services_(services), old_(old), wish_(wish) {}

  base::Result<AdoptedSite, ReportFailure> plan() {
    if (auto taken = choose_name()) return *std::move(taken);
    if (auto failure = read_config()) return *std::move(failure);
    judge();
    bring_files_along();
    if (!problems_.empty()) return ReportFailure{kInvalid, std::move(problems_)};
    // Name servers are the native engine's alone, and which engine it is decides a first look.
    dns_ = has_dns_script_ ? "off" : "";
    if (auto failure = look()) return *std::move(failure);
    if (has_dns_script_ && site_.report.engine.fastpath) {
      dns_ = "pushed";
      if (auto failure = look()) return *std::move(failure);
    }
    if (auto failure = fill_in_logins()) return *std::move(failure);
    if (auto failure = can_take_its_place()) return *std::move(failure);
    tell_name_servers();
    tell_interface();
    return std::move(site_);
  }

 private:
  using Failure = std::optional<ReportFailure>;

  Failure choose_name() {
    name_ = wish_.as ? *wish_.as : derived_name(old_.name);
    if (const auto why = wish_.as ? "" : why_derived(old_.name); !why.empty()) {
      site_.notes.push_back(why);
    }
    if (!site::is_site_name(name_)) {
      return ReportFailure{kUsage, {{{}, site::no_site_name(name_), ""}}};
    }
    if (auto failure = adopted_already()) return failure;
    const auto& paths = context_.paths();
    for (const std::string& path :
         {paths.site_file(name_), paths.keys_folder(name_), paths.imported_config(name_)}) {
      if (!context_.files().status(path)) continue;
      return ReportFailure{
          kFailed,
          {{{},
            "there is a site " + name_ + " already (" + path + ")",
            "`tunctl remove " + name_ + "` it, or choose another name with --as"}}};
    }
    return std::nullopt;
  }

  // Also of an adoption that was cut short, before its timer or by a boot.
  Failure adopted_already() {
    for (const std::string& site : adopted_sites(context_)) {
      const auto earlier = adoption_of(context_, site);
      if (!earlier) return ReportFailure{status_of(earlier.error()), {earlier.error()}};
      if (!*earlier || (site != name_ && (*earlier)->unit != old_.unit)) continue;
      return ReportFailure{
          kFailed,
          {{{},
            "the site " + site + " has the place of " + (*earlier)->unit + " already",
            "`tunctl adopt --undo " + site + "` gives it back"}}};
    }
    return std::nullopt;
  }

  Failure read_config() {
    const std::string path = context_.paths().inside(old_.command.config);
    const auto bytes = context_.files().read(path);
    if (!bytes) return ReportFailure{status_of(bytes.error()), {bytes.error()}};
    const auto own = ovpn::lex_config(path, *bytes);
    for (const ovpn::Directive& line : old_.command.before) {
      if (adds_up(line.name) || !own.profile.has(line.name)) options_.push_back(line_text(line));
    }
    for (const ovpn::Directive& line : old_.command.behind) options_.push_back(line_text(line));
    bytes_ = render::with_options(*bytes, options_);
    auto lexed = ovpn::lex_config(path, bytes_);
    profile_ = std::move(lexed.profile);
    if (lexed.problems.empty()) return std::nullopt;
    return ReportFailure{kInvalid, std::move(lexed.problems)};
  }

  void judge() {
    for (const ovpn::Directive& written : profile_.directives) {
      const ovpn::Directive line = ovpn::unwrap_setenv_opt(written);
      if (line.name != "ifconfig-pool-persist") continue;
      warnings_.push_back({line.place,
                           line_text(line) + ": is not read, and begins anew below /var/lib/tunctl",
                           "a client may get another address than it had"});
    }
    ScriptVerdict verdict = judge_scripts(profile_, wish_.allow_scripts, "does not run any more");
    has_dns_script_ = verdict.sets_name_servers;
    scripts_off_ = verdict.off;
    problems_ = std::move(verdict.problems);
    warnings_.insert(warnings_.end(), verdict.warnings.begin(), verdict.warnings.end());
    site_.notes.insert(site_.notes.end(), verdict.notes.begin(), verdict.notes.end());
  }

  // A kept config's relative paths begin in its own folder. Where the unit began them elsewhere
  // the files are copied, as `import` does.
  void bring_files_along() {
    const std::string before = ovpn::folder_after_cd(profile_, old_.command.folder);
    const std::string now = ovpn::folder_after_cd(profile_, site::folder_of(old_.command.config));
    if (before == now) return;
    site::Site site;
    site.name = name_;
    site.config = old_.command.config;
    for (const auto& need : render::needed_files(site, bytes_, context_.paths())) {
      if (need.otherwise.empty()) continue;  // absolute, or not a file
      const std::string from = context_.paths().inside(before + "/" + need.written);
      const auto bytes = context_.files().read(from);
      if (!bytes && !need.login.empty()) continue;  // it can be asked for
      if (!bytes) {
        problems_.push_back(
            {need.place, bytes.error().message, "put it there, or correct the line"});
        continue;
      }
      keys_.push_back({need.login.empty() ? need.path : need.stored, *bytes, kSecretMode, true});
    }
    for (const ovpn::Directive& line : profile_.directives) {
      const auto* row = render::find_file_directive(line.name);
      const auto* word = row == nullptr ? nullptr : render::file_word(*row, line);
      if (word == nullptr || row->use != render::FileUse::kPlace || word->starts_with('/'))
        continue;
      problems_.push_back({line.place,
                           line_text(line) + " is looked for in " + before + " now, and " +
                               "would not be found there",
                           "write its absolute path"});
    }
  }

  std::string site_text() const {
    std::string text = "# In place of " + old_.unit + "; `tunctl adopt --undo " + name_ +
                       "` gives that back. Keys of this file: tunctl.site(5).\n";
    text += "config = " + toml_text(old_.command.config) + "\n";
    if (!options_.empty()) {
      std::string list;
      for (const auto& line : options_) list += (list.empty() ? "" : ", ") + toml_text(line);
      text += "options = [" + list + "]\n";
    }
    if (ovpn::nothing_authenticates(profile_) && ovpn::remote_list(profile_).empty()) {
      text += "acknowledge-cleartext = true\n";
    }
    text += "\n[run]\nengine = \"auto\"      # \"fastpath\" or \"openvpn\" to insist\n";
    text +=
        old_.cpus.empty()
            ? "# cpus = \"auto\"      # bind the tunnel to the right CPUs, or to a list: \"2-5\"\n"
            : "cpus = \"" + base::format_cpu_list(old_.cpus) + "\"\n";
    if (scripts_off_) text += "scripts = \"off\"\n";
    if (!dns_.empty()) text += "\n[dns]\nuse = \"" + dns_ + "\"\n";
    return text;
  }

  void lay_out() {
    const auto& paths = context_.paths();
    plan::Desired& files = site_.files;
    files = {};
    files.folders = {{paths.sites_folder(), kFolderMode}};
    if (!keys_.empty()) {
      files.folders.push_back({paths.all_keys_folder(), kSecretFolderMode});
      files.folders.push_back({paths.keys_folder(name_), kSecretFolderMode});
    }
    files.files = keys_;
    add_logins(context_, logins_, files);
    files.files.push_back({paths.site_file(name_), site_text(), kSiteMode, false});
  }

  // With the eyes of `check` and `enable`, at files that are not written yet.
  Failure look() {
    lay_out();
    PlannedFiles planned(context_.files(), site_.files.files);
    auto report = examine(context_, name_, planned);
    if (!report) return report.error();
    site_.report = std::move(report).value();
    return std::nullopt;
  }

  Failure fill_in_logins() {
    const launch::LoadedSite& loaded = site_.report.loaded;
    const bool missing = !loaded.missing.empty();
    const bool person = missing && context_.world().in_is_terminal && !context_.globals().dry_run;
    if (wish_.credentials && loaded.asks.empty()) {
      return ReportFailure{kInvalid, {{{}, old_.command.config + " wants no credentials", ""}}};
    }
    if (wish_.credentials || person) {
      std::vector<render::FileNeed> asks;
      for (const render::FileNeed& ask : loaded.asks) {
        if (!missing || !loaded.logins.contains(ask.login)) asks.push_back(ask);
      }
      auto logins = ask_logins(context_, name_, asks, wish_.credentials);
      if (!logins)
        return ReportFailure{worse(status_of(logins.error()), kFailed), {logins.error()}};
      logins_ = std::move(logins).value();
      if (auto failure = look()) return failure;
    }
    if (site_.report.missing().empty()) return std::nullopt;
    ReportFailure failure{kInvalid, site_.report.missing()};
    for (auto& problem : failure.problems) problem.remedy = "give them with --credentials FILE";
    return failure;
  }

  Failure can_take_its_place() {
    const bool fastpath = site_.report.engine.fastpath;
    const auto programs = launch::find_programs(context_.files(), context_.world().program);
    if ((fastpath ? programs.fastpath : programs.openvpn).empty()) {
      return ReportFailure{
          kFailed,
          {{{},
            std::string(fastpath ? "tunctl-fastpath" : "OpenVPN") + " is not installed",
            fastpath ? "`./bootstrap install` puts it beside tunctl" : "apt-get install openvpn"}}};
    }
    if (auto failure =
            stand_among(context_, site_.report, {name_}, InTheWay::kRunning, old_.unit)) {
      return failure;
    }
    auto& warnings = site_.report.warnings;
    warnings.insert(warnings.begin(), warnings_.begin(), warnings_.end());
    warnings.insert(warnings.begin(), old_.warnings.begin(), old_.warnings.end());
    return std::nullopt;
  }

  void tell_name_servers() {
    if (!has_dns_script_) return;
    const base::Place place{context_.paths().inside(old_.command.config), 0, 0};
    auto& warnings = site_.report.warnings;
    const auto resolved = services_.status(kResolved);
    if (dns_ == "off") {
      warnings.push_back({place,
                          "name servers that come with the tunnel are not used: " +
                              std::string("stock OpenVPN cannot set them in a unit"),
                          "set them by hand, or take out what keeps the native engine away"});
    } else if (!resolved || resolved->active_state != "active") {
      warnings.push_back({place,
                          "name servers that come with the tunnel are not used: " +
                              std::string("systemd-resolved does not run here"),
                          "start it, or set them by hand"});
    }
  }

  // A rule of a firewall may name the interface.
  void tell_interface() {
    const ovpn::Directive* dev = profile_.last("dev");
    if (dev == nullptr || dev->args.empty() || !old_.active || !context_.world().tunnels) return;
    const std::string& kind = dev->args[0];
    if (kind != "tun" && kind != "tap") return;
    for (const std::string& was : context_.world().tunnels(old_.pid)) {
      site_.report.warnings.push_back(
          {dev->place, "the interface is called " + name_ + " from now on, and not " + was,
           "options = [\"dev " + was + "\"] in the site file keeps the name for what names it"});
    }
  }

  Context& context_;
  host::ServiceManager& services_;
  const OldUnit& old_;
  const AdoptWish& wish_;
  std::string name_;
  std::string bytes_;                 // the config with the unit's options behind it
  ovpn::Profile profile_;             // of these
  std::vector<std::string> options_;  // of the unit's command line
  std::vector<render::Artifact> keys_;
  GivenLogins logins_;
  bool has_dns_script_ = false, scripts_off_ = false;
  std::string dns_;
  base::Problems problems_, warnings_;
  AdoptedSite site_;
};

}  // namespace

base::Result<AdoptedSite, ReportFailure> plan_adopted_site(Context& context,
                                                           host::ServiceManager& services,
                                                           const OldUnit& old,
                                                           const AdoptWish& wish) {
  return SitePlanner(context, services, old, wish).plan();
}

}  // namespace cli
