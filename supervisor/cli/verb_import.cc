// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <istream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "ovpn/lexer.h"
#include "ovpn/login_text.h"
#include "ovpn/native_support.h"
#include "ovpn/remote_list.h"
#include "ovpn/static_key.h"
#include "ovpn/tunnel_kind.h"
#include "supervisor/cli/ask_logins.h"
#include "supervisor/cli/derived_name.h"
#include "supervisor/cli/judge_scripts.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/launch/key_material.h"
#include "supervisor/launch/programs.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/foreign_code.h"
#include "supervisor/render/host_scripts.h"
#include "supervisor/render/logins.h"
#include "supervisor/render/unit_overlay.h"

namespace cli {
namespace {

constexpr std::size_t kConfigBytesMax = std::size_t{1} << 20;
constexpr mode_t kSecretMode = 0600;
constexpr mode_t kSecretFolderMode = 0700;
constexpr mode_t kSiteMode = 0644;
constexpr mode_t kFolderMode = 0755;

std::string free_name(Context& context, const std::string& wish) {
  std::string name = wish;
  for (int number = 2; context.files().status(context.paths().site_file(name)); ++number) {
    const std::string tail = "-" + std::to_string(number);
    name = wish.substr(0, kNameCharsMax - tail.size()) + tail;
  }
  return name;
}

class Importer {
 public:
  Importer(Context& context, const Call& call)
      : context_(context),
        source_(call.operands.at(0)),
        as_(call.value("--as")),
        credentials_(call.value("--credentials")),
        allow_scripts_(call.has("--allow-scripts")) {}

  int run() {
    if (from_stdin() && !as_) {
      context_.complain("import - needs a name: --as NAME");
      return kUsage;
    }
    if (from_stdin() && credentials_ == "-") {
      context_.complain("config and credentials cannot both come from standard input");
      return kUsage;
    }
    // What comes through a pipe or from a person may take its time, and keeps no other command
    // waiting.
    if (const int status = read_source(); status != kOk) return status;
    if (const int status = refuse_twins(); status != kOk) return status;
    if (const int status = choose_name(); status != kOk) return status;
    check();
    if (problems_.empty()) gather_files();
    if (!problems_.empty()) return complain();
    if (const int status = ask(); status != kOk) return status;
    // A name that another command has taken meanwhile is refused like any file in the way.
    const auto held = context_.hold();
    if (!held) return kFailed;
    const plan::Desired wish = desired();
    if (const int status = refuse_to_overwrite(wish); status != kOk) return status;
    warn_of_others();
    context_.warn(warnings_);
    for (const std::string& note : notes_) context_.note(note);
    const int status = carry_out(context_, wish);
    if (status == kOk && !context_.globals().dry_run) tell();
    return status;
  }

 private:
  bool from_stdin() const { return source_ == "-"; }
  std::string shown_source() const { return from_stdin() ? "(standard input)" : source_; }

  int choose_name() {
    name_ = as_ ? *as_ : free_name(context_, derived_name(site::stem_of(source_)));
    if (!site::is_site_name(name_)) {
      context_.complain(site::no_site_name(name_));
      return kUsage;
    }
    if (context_.files().status(context_.paths().site_file(name_))) {
      context_.complain("there is a site " + name_ + " already; `tunctl remove " + name_ +
                        "` it, or choose another name with --as");
      return kFailed;
    }
    return kOk;
  }

  // Whoever imports a config again has rather forgotten the first time than meant a second site.
  int refuse_twins() {
    if (as_) return kOk;
    for (const std::string& other : context_.site_names()) {
      const auto theirs = context_.files().read(context_.paths().imported_config(other));
      if (!theirs || *theirs != bytes_) continue;
      context_.complain("site " + other + " has this config already; `" +
                        context_.command("remove " + other) + "` it, or make another site of it " +
                        "with --as NAME");
      return kFailed;
    }
    return kOk;
  }

  int read_source() {
    if (from_stdin()) {
      bytes_.resize(kConfigBytesMax + 1);
      context_.world().in.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
      bytes_.resize(static_cast<std::size_t>(context_.world().in.gcount()));
      if (bytes_.size() <= kConfigBytesMax) return kOk;
      context_.complain("the config on standard input is larger than 1 MiB");
      return kInvalid;
    }
    auto bytes = context_.files().read(absolute_source());
    if (!bytes) return fail(context_, bytes.error());
    bytes_ = std::move(bytes).value();
    return kOk;
  }

  void add(base::Place place, std::string message, std::string remedy) {
    problems_.push_back({std::move(place), std::move(message), std::move(remedy)});
  }

  void check() {
    const std::string file = shown_source();
    auto lexed = ovpn::lex_config(file, bytes_);
    problems_ = std::move(lexed.problems);
    profile_ = std::move(lexed.profile);
    if (!problems_.empty()) return;
    if (profile_.directives.empty()) {
      return add({file, 0, 0}, "there is no directive in it",
                 from_stdin() ? "did the command before the pipe fail?" : "");
    }
    if (const auto* include = profile_.last("config")) {
      add(include->place, "a site's config cannot include another file",
          "write that file's lines in place of this one");
    }
    for (const auto& login : render::logins_in_blocks(profile_)) problems_.push_back(login);
    site_.name = name_;
    judge();
    const auto engine = render::choose_engine(site_, render::with_logins(profile_for_engine()));
    if (engine) engine_ = *engine;
    if (!engine) problems_.insert(problems_.end(), engine.error().begin(), engine.error().end());
    for (const ovpn::Directive& line : profile_.directives) check_line(file, line);
  }

  // Whoever imports a file need not be its author.
  void judge() {
    ScriptVerdict verdict = judge_scripts(profile_, allow_scripts_, "does not run");
    has_dns_script_ = verdict.sets_name_servers;
    site_.run.scripts = allow_scripts_ || !(verdict.off || has_dns_script_);
    problems_.insert(problems_.end(), verdict.problems.begin(), verdict.problems.end());
    warnings_.insert(warnings_.end(), verdict.warnings.begin(), verdict.warnings.end());
    notes_ = std::move(verdict.notes);
  }

  // Without what is left out of what the engine gets.
  ovpn::Profile profile_for_engine() const {
    site::Site site = site_;
    if (has_dns_script_) site.dns.use = {"off"};
    ovpn::Profile profile = render::profile_in_unit(profile_);
    std::erase_if(profile.directives, [&site](const ovpn::Directive& line) {
      return render::dropped_script(site, line).has_value();
    });
    return profile;
  }

  void check_line(const std::string& file, const ovpn::Directive& line) {
    if (line.name == "secret" && line.body) {
      check_static_key(file, *line.body, line.place.line + 1);
    }
    const auto* row = render::find_file_directive(line.name);
    if (line.args.empty()) return;
    const bool off = !allow_scripts_ && render::changes_host(line);
    if (std::string code = render::foreign_code(line); !code.empty() && !off) {
      warnings_.push_back(
          {line.place, std::move(code), "read it first if this config is somebody else's"});
    }
    if (!off && row != nullptr && row->use == render::FileUse::kPlace &&
        !line.args[0].starts_with('/')) {
      add(line.place, line.name + " " + line.args[0] + " would not be found after the import",
          "write its absolute path");
    }
  }

  // Whoever imports a config has its key from the far end: no command here makes that one.
  void check_static_key(const std::string& file, const std::string& text, std::size_t first_line) {
    const auto key = ovpn::parse_static_key(file, text, first_line);
    if (key) return;
    base::Problem problem = key.error();
    if (problem.remedy == ovpn::kMakeStaticKey) problem.remedy = ovpn::kCopyStaticKey;
    problems_.push_back(std::move(problem));
  }

  void warn_of_open_block() {
    const auto is_secret = [](const ovpn::Directive& line) {
      const auto* row = render::find_file_directive(line.name);
      return line.body && row != nullptr && row->secret;
    };
    const auto& lines = profile_.directives;
    if (!from_stdin() && std::any_of(lines.begin(), lines.end(), is_secret)) {
      warn_if_open(absolute_source());
    }
  }

  // Keys named by relative paths lie beside the config; absolute ones stay where they are.
  void gather_files() {
    site_.config = from_stdin() ? "/" : absolute_source();
    warn_of_open_block();
    for (render::FileNeed& need : render::needed_files(site_, bytes_, site::Paths())) {
      need.place.file = shown_source();
      if (!need.login.empty()) {
        gather_login(need);
        continue;
      }
      const bool relative = !need.otherwise.empty();
      if (relative && from_stdin()) {
        add(need.place, "the file " + need.written + " did not come along",
            "send one inline file, as `tunctl render NAME --far-end --stdout` writes it");
        continue;
      }
      gather(need, relative ? need.otherwise : need.path, relative);
    }
    examine_keys();
  }

  void examine_keys() {
    const auto file = [this](const std::string& written) -> std::optional<launch::KeyText> {
      const auto path = paths_of_.find(written);
      if (path == paths_of_.end()) return std::nullopt;
      return launch::KeyText{path->second, 1, files_[written], {path->second, 0, 0}};
    };
    std::string passphrase;
    if (const auto named = files_.find(profile_.arg("askpass").value_or(""));
        named != files_.end()) {
      passphrase = ovpn::first_lines(named->second, 1).front();
    }
    const auto found = launch::examine_keys(profile_, file, context_.world().now(), passphrase);
    base::wipe(passphrase);
    problems_.insert(problems_.end(), found.problems.begin(), found.problems.end());
    warnings_.insert(warnings_.end(), found.warnings.begin(), found.warnings.end());
  }

  // A login's file that is not there can be given later.
  void gather_login(render::FileNeed& need) {
    const bool passphrase = need.kind == ovpn::LoginKind::kPassphrase;
    const auto key = render::key_state(profile_, files_);
    need.stored = context_.paths().inside(need.stored);
    if (passphrase && need.optional && key == render::KeyState::kOpen) return;
    asks_.push_back(need);
    const bool relative = !need.otherwise.empty();
    const std::string& path = relative ? need.otherwise : need.path;
    if (!path.empty() && !(relative && from_stdin()) && context_.files().status(path)) {
      return gather(need, path, relative);
    }
    const bool wanted = !need.optional || (passphrase && key == render::KeyState::kEncrypted);
    if (wanted) wanted_.push_back(need);
  }

  // What is wanted and not there is asked for; without anybody to ask it is left for later.
  int ask() {
    const bool person = context_.world().in_is_terminal && !wanted_.empty();
    if (context_.globals().dry_run || (!credentials_ && !person)) return kOk;
    if (asks_.empty()) {
      context_.complain(shown_source() + " wants no credentials, or has them inside");
      return kInvalid;
    }
    auto logins = ask_logins(context_, name_, wanted_.empty() ? asks_ : wanted_, credentials_);
    if (!logins && credentials_) {
      context_.complain(logins.error());
      return worse(status_of(logins.error()), kFailed);
    }
    if (!logins) return kOk;  // `tunctl credentials` is told in the end
    logins_ = std::move(*logins);
    std::erase_if(wanted_, [this](const auto& need) {
      return std::any_of(logins_.begin(), logins_.end(),
                         [&need](const GivenLogin& given) { return given.login == need.login; });
    });
    return kOk;
  }

  void gather(const render::FileNeed& need, const std::string& path, bool copy) {
    const auto bytes = context_.files().read(path);
    if (!bytes) {
      const bool refused = status_of(bytes.error()) == kNotPermitted;
      refused_ |= refused;
      const std::string name = render::windows_file_name(need.written);
      if (!refused && !name.empty()) {
        add(need.place, "'" + need.written + "' is a path of Windows, and no such file is here",
            "put the file beside the config and write " + name + " in place of the path");
        return;
      }
      add(need.place, bytes.error().message,
          refused ? "run this as root" : "put it there, or correct the line");
      return;
    }
    const auto* secret = profile_.last("secret");
    if (secret != nullptr && !secret->args.empty() && secret->args[0] == need.written) {
      check_static_key(path, *bytes, 1);
    }
    if (need.secret) warn_if_open(path);
    files_[need.written] = *bytes;
    paths_of_[need.written] = path;
    if (!copy) return;
    const auto [known, added] = keys_.emplace(site::file_name_of(need.written), *bytes);
    if (!added && known->second != *bytes) {
      add(need.place, "two different files are called " + known->first, "rename one of them");
    }
  }

  void warn_if_open(const std::string& path) {
    const auto status = context_.files().status(path);
    if (status && (status->mode & 0004) != 0) {
      warnings_.push_back(
          {{path, 0, 0}, "everyone on this machine can read this key", "chmod 600 it"});
    }
  }

  std::string absolute_source() const {
    return source_.starts_with('/') ? source_ : context_.world().folder + "/" + source_;
  }

  int complain() {
    context_.complain(problems_);
    return refused_ ? kNotPermitted : kInvalid;
  }

  bool listens_in_clear() const {
    return ovpn::nothing_authenticates(profile_) && ovpn::remote_list(profile_).empty();
  }

  std::string site_text() const {
    const auto& paths = context_.paths();
    std::string text = "# Imported";
    if (!from_stdin()) text += " from " + site::file_name_of(source_);
    text += ". Keys of this file: tunctl.site(5).\n";
    text += "config = \"" + paths.as_written(paths.imported_config(name_)) + "\"\n";
    if (listens_in_clear()) text += "acknowledge-cleartext = true\n";
    text +=
        "\n[run]\nengine = \"auto\"      # \"fastpath\" or \"openvpn\" to insist\n"
        "# cpus = \"auto\"      # bind the tunnel to the right CPUs, or to a list: \"2-5\"\n";
    if (!site_.run.scripts)
      text += "scripts = \"off\"     # \"on\": they run, as the unit's user\n";
    // Name servers are the native engine's alone.
    if (has_dns_script_ && allow_scripts_) {
      text += std::string("\n[dns]\nuse = \"") + (engine_.fastpath ? "pushed" : "off") + "\"\n";
    }
    return text;
  }

  // The site file comes last: until it is there, nothing of this counts.
  plan::Desired desired() {
    const auto& paths = context_.paths();
    plan::Desired wish;
    wish.folders = {{paths.sites_folder(), kFolderMode}, {paths.ovpn_folder(), kFolderMode}};
    if (!keys_.empty()) {
      wish.folders.push_back({paths.all_keys_folder(), kSecretFolderMode});
      wish.folders.push_back({paths.keys_folder(name_), kSecretFolderMode});
    }
    add_logins(context_, logins_, wish);
    for (const auto& [file, bytes] : keys_) {
      wish.files.push_back({paths.keys_folder(name_) + "/" + file, bytes, kSecretMode, true});
    }
    wish.files.push_back({paths.imported_config(name_), bytes_, kSecretMode, true});
    wish.files.push_back({paths.site_file(name_), site_text(), kSiteMode, false});
    return wish;
  }

  // What an earlier import left when it was cut short is the same bytes; anything else is
  // somebody's.
  int refuse_to_overwrite(const plan::Desired& wish) {
    for (const render::Artifact& file : wish.files) {
      if (!context_.files().status(file.path)) continue;
      const auto there = context_.files().read(file.path);
      if (there && *there == file.bytes) continue;
      context_.complain(file.path + " is in the way; move it, or choose another name with --as");
      return kFailed;
    }
    return kOk;
  }

  // Two imports of one config are two sites that cannot run at a time.
  void warn_of_others() {
    const auto profile = render::profile_in_unit(profile_);
    const auto* dev = profile.last("dev");
    const auto taken =
        interface_in_the_way(context_, profile, dev == nullptr ? base::Place() : dev->place);
    if (taken) warnings_.push_back(*taken);
    const auto mine = site::footprint_of(name_, profile);
    const auto crossed = site::cross_check(mine, others_in_the_way(context_, name_));
    for (const auto* found : {&crossed.problems, &crossed.warnings}) {
      warnings_.insert(warnings_.end(), found->begin(), found->end());
    }
  }

  void tell() {
    context_.warn(render::weak_points(profile_));
    const auto programs = launch::find_programs(context_.files(), context_.world().program);
    if (auto missing = launch::missing_program(programs, engine_); missing && !engine_.fastpath) {
      context_.warn({*std::move(missing)});
    }
    const std::string why = as_ ? "" : why_derived(site::stem_of(source_));
    if (!why.empty()) context_.note(why);
    context_.say(
        name_ + ": imported; runs on " +
        (engine_.fastpath ? "the native fast path" : "stock OpenVPN (" + engine_.reason + ")"));
    if (listens_in_clear()) {
      context_.note(name_ + ": clear text from whoever sends first; acknowledge-cleartext = true " +
                    "is in the site file");
    }
    for (const render::FileNeed& need : wanted_) context_.note(render::missing_words(need));
    const std::string next = wanted_.empty() ? context_.command_to_begin(name_)
                                             : context_.command("credentials " + name_);
    context_.say("next: " + next);
  }

  Context& context_;
  const std::string source_;
  const std::optional<std::string> as_, credentials_;
  const bool allow_scripts_;
  std::string name_;
  std::string bytes_;
  ovpn::Profile profile_;
  site::Site site_;
  render::EngineDecision engine_;
  std::map<std::string, std::string> keys_;      // to be copied, by their names
  std::map<std::string, std::string> files_;     // all that were read, by FileNeed::written
  std::map<std::string, std::string> paths_of_;  // where they were found, likewise
  std::vector<render::FileNeed> asks_;           // what a person can be asked for
  std::vector<render::FileNeed> wanted_;         // of it, what nobody has given
  GivenLogins logins_;
  base::Problems problems_;
  bool refused_ = false;  // the kernel did not let us read a file
  base::Problems warnings_;
  std::vector<std::string> notes_;
  bool has_dns_script_ = false;
};

}  // namespace

int run_import(Context& context, const Call& call) { return Importer(context, call).run(); }

}  // namespace cli
