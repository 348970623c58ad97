// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/load_site.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "ovpn/lexer.h"
#include "ovpn/line_words.h"
#include "ovpn/login_text.h"
#include "ovpn/remote_list.h"
#include "ovpn/static_key.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/wipe_blocks.h"
#include "supervisor/launch/key_material.h"
#include "supervisor/launch/script_trouble.h"
#include "supervisor/pki/certificate.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/host_scripts.h"
#include "supervisor/render/kept_config.h"
#include "supervisor/render/logins.h"
#include "supervisor/site/fingerprint.h"
#include "supervisor/site/site_check.h"

namespace launch {
namespace {

constexpr mode_t kOthersMayRead = 0004;

// FileStore's messages end in the kernel's reason, in the C locale (base::errno_text).
bool is_permission_problem(const base::Problem& problem) {
  return problem.message.ends_with("Permission denied") ||
         problem.message.ends_with("Operation not permitted");
}

LoadError failed(base::Problem problem) {
  if (!is_permission_problem(problem)) return {LoadFailure::kInvalid, {std::move(problem)}};
  problem.remedy = "run this as root";
  return {LoadFailure::kNotPermitted, {std::move(problem)}};
}

class SiteLoader {
 public:
  SiteLoader(host::FileStore& files, const site::Paths& paths, base::UnixSeconds now)
      : files_(files), paths_(paths), now_(now) {}
  ~SiteLoader() { ovpn::wipe_blocks(profile_); }
  SiteLoader(const SiteLoader&) = delete;
  SiteLoader& operator=(const SiteLoader&) = delete;

  base::Result<LoadedSite, LoadError> load(std::string_view name, int cpu_count) {
    if (auto failure = read_site_file(name)) return *failure;
    auto checked = site::check_site(loaded_.site, cpu_count);
    loaded_.warnings = std::move(checked.warnings);
    add_checked(checked.problems);
    if (is_pki_site() || is_client_site()) profile_ = render::described_profile(loaded_.site);
    const bool names_its_tunnel = loaded_.site.described || !loaded_.site.config.empty();
    if (names_its_tunnel) {
      if (auto failure = read_config()) return *failure;
      if (auto failure = read_files()) return *failure;
      if (is_fingerprint_site()) check_identity();
      check_keys();
    }
    if (problems_.empty()) return loaded_;  // a copy: what is left here is wiped
    sort_problems();
    return LoadError{LoadFailure::kInvalid, std::move(problems_), std::move(loaded_.asks)};
  }

 private:
  // Where the file itself has problems, a key may seem missing only because it was not understood:
  // then only what is wrong with keys that are there is told beside them, and no place twice.
  void add_checked(const base::Problems& checked) {
    const bool whole = problems_.empty();
    for (const base::Problem& problem : checked) {
      const bool told = std::any_of(problems_.begin(), problems_.end(), [&](const auto& other) {
        return other.place == problem.place;
      });
      if (whole || (problem.place.line > 0 && !told)) problems_.push_back(problem);
    }
  }

  // A person goes through the site file from top to bottom; other files' problems come behind.
  void sort_problems() {
    const auto rank = [this](const base::Problem& problem) {
      const bool elsewhere = problem.place.file != loaded_.site.file;
      return std::tuple(elsewhere, elsewhere ? 0 : problem.place.line,
                        elsewhere ? 0 : problem.place.column);
    };
    std::stable_sort(problems_.begin(), problems_.end(),
                     [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  }

  std::optional<LoadError> read_site_file(std::string_view name) {
    std::string path = paths_.site_file(name);
    if (!site::is_site_name(name) || !files_.status(path)) {
      return LoadError{LoadFailure::kNoSuchSite, {no_such_site(name)}};
    }
    if (files_.status(paths_.trial_site(name))) path = paths_.trial_site(name);
    const auto bytes = files_.read(path);
    if (!bytes) return failed(bytes.error());
    auto reading = site::read_site(name, path, *bytes);
    problems_ = std::move(reading.problems);
    if (!reading.site && !reading.partial) {
      return LoadError{LoadFailure::kInvalid, std::move(problems_)};
    }
    loaded_.site = reading.site ? *std::move(reading.site) : *std::move(reading.partial);
    return std::nullopt;
  }

  base::Problem no_such_site(std::string_view name) const {
    if (!site::is_site_name(name)) {
      return {{}, site::no_site_name(name), {}};
    }
    return {{},
            "no site is called " + std::string(name) + " (no " + paths_.site_file(name) + ")",
            "`tunctl list` shows all, `tunctl new " + std::string(name) + "` makes one"};
  }

  std::optional<LoadError> read_config() {
    for (const render::FileNeed& need : render::needed_config(loaded_.site, paths_)) {
      auto bytes = files_.read(need.path);
      if (!bytes) return file_missing(need, bytes.error());
      loaded_.config_bytes = render::with_options(std::move(bytes).value(), loaded_.site.options);
      auto lexed = ovpn::lex_config(need.path, loaded_.config_bytes);
      problems_.insert(problems_.end(), lexed.problems.begin(), lexed.problems.end());
      profile_ = std::move(lexed.profile);
      check_listener(need.path, profile_);
      if (const auto* secret = profile_.last("secret");
          secret != nullptr && !secret->args.empty()) {
        secret_ = secret->args[0];
      }
      for (const ovpn::Directive& line : profile_.directives) {
        warn_of_script(line);
        if (line.name == "secret" && line.body) {
          check_key(need.path, *line.body, line.place.line + 1);
          warn_if_open(need.path);
        }
      }
    }
    return std::nullopt;
  }

  std::optional<LoadError> read_files() {
    for (const render::FileNeed& need :
         render::needed_files(loaded_.site, loaded_.config_bytes, paths_)) {
      if (need.held || need.written.starts_with(site::kCredential)) continue;  // systemd's
      if (!need.login.empty()) {
        if (auto failure = read_login(need)) return failure;
        continue;
      }
      const bool first = need.otherwise.empty() || files_.status(need.path);
      const std::string& path = first ? need.path : need.otherwise;
      auto bytes = files_.read(path);
      if (!bytes) {
        if (auto failure = file_missing(need, bytes.error())) return failure;
        continue;
      }
      if (need.secret) warn_if_open(path);
      if (is_static_key(need)) check_key(path, *bytes, 1);
      paths_of_[need.written] = path;
      loaded_.files[need.written] = std::move(bytes).value();
    }
    return std::nullopt;
  }

  std::optional<LoadError> read_login(const render::FileNeed& need) {
    const bool passphrase = need.kind == ovpn::LoginKind::kPassphrase;
    const render::KeyState key = passphrase && need.optional
                                     ? render::key_state(profile_, loaded_.files)
                                     : render::KeyState::kMayBeEncrypted;
    if (key == render::KeyState::kOpen) return std::nullopt;
    loaded_.asks.push_back(need);
    for (const std::string& path : {need.stored, need.path, need.otherwise}) {
      if (path.empty() || !files_.status(path)) continue;
      auto bytes = files_.read(path);
      if (!bytes) return failed(bytes.error());
      warn_if_open(path);
      const std::string wrong = ovpn::login_error(*bytes, need.kind);
      if (!wrong.empty()) problems_.push_back({{path, 0, 0}, wrong, remedy()});
      std::string& login = loaded_.logins[need.login] = std::move(bytes).value();
      // As the word goes over the wire, every engine can send it.
      if (need.kind == ovpn::LoginKind::kServerUser) {
        login = ovpn::first_lines(login, 1).front() + "\n" + ovpn::kBlankPassword + "\n";
      }
      return std::nullopt;
    }
    if (need.optional && key != render::KeyState::kEncrypted) return std::nullopt;
    loaded_.missing.push_back({need.place, render::missing_words(need), remedy()});
    return std::nullopt;
  }

  std::string remedy() const { return "`tunctl credentials " + loaded_.site.name + "`"; }

  // A missing file is one problem among others; missing rights make the rest a guess.
  std::optional<LoadError> file_missing(const render::FileNeed& need, base::Problem problem) {
    if (is_permission_problem(problem)) return failed(std::move(problem));
    problem.place = need.place;
    const std::string& name = loaded_.site.name;
    if (is_client_site()) {
      problem.remedy = remedy_of_client(need);
    } else if (is_fingerprint_site()) {
      problem.remedy = "`tunctl key gen " + name + "` makes key and certificate";
    } else if (is_pki_site()) {
      problem.remedy = "put the one there that the site's authority made";
    } else if (need.secret) {
      problem.remedy = "`tunctl key gen " + name + "` makes one, or copy the far end's there";
    }
    problems_.push_back(std::move(problem));
    return std::nullopt;
  }

  // Its own key and certificate in mode fingerprint are its own to make; all else comes from there.
  std::string remedy_of_client(const render::FileNeed& need) const {
    const site::Described& tunnel = *loaded_.site.described;
    const bool own = need.written == tunnel.cert || need.written == tunnel.key;
    if (own && is_fingerprint_site()) {
      return "`tunctl key gen " + loaded_.site.name + "` makes key and certificate";
    }
    return "whoever runs the server gives it to you; put it there";
  }

  // The same rule as for a described site: in clear text, somebody has to have meant it.
  void check_listener(const std::string& path, const ovpn::Profile& profile) {
    if (loaded_.site.acknowledge_cleartext || profile.has("config")) return;
    if (!ovpn::nothing_authenticates(profile) || !ovpn::remote_list(profile).empty()) return;
    problems_.push_back({{path, 0, 0},
                         "without a remote this takes packets from anyone, in clear text",
                         "add `remote`, or write acknowledge-cleartext = true in the site file"});
  }

  void warn_of_script(const ovpn::Directive& line) {
    if (!render::runs_program(line.name) || line.args.empty()) return;
    if (render::dropped_script(loaded_.site, line)) return;
    const auto words = ovpn::split_config_line(line.args[0]).words;
    if (words.empty() || !words[0].starts_with('/')) return;
    auto trouble = script_trouble(files_, words[0], line.name != "plugin");
    if (!trouble) return;
    loaded_.warnings.push_back(
        {line.place, line.name + ": " + trouble->message, std::move(trouble->remedy)});
  }

  bool is_static_key(const render::FileNeed& need) const {
    return loaded_.site.described ? !site::is_tls(loaded_.site.described->mode)
                                  : secret_ == need.written;
  }

  bool is_fingerprint_site() const {
    const auto& tunnel = loaded_.site.described;
    return tunnel && tunnel->mode == site::Mode::kFingerprint;
  }

  bool is_pki_site() const {
    const auto& tunnel = loaded_.site.described;
    return tunnel && tunnel->mode == site::Mode::kPki;
  }

  bool is_client_site() const {
    const auto& tunnel = loaded_.site.described;
    return tunnel && site::is_client(*tunnel);
  }

  std::string path_below_keys(const std::string& written) const {
    return written.starts_with('/') ? paths_.inside(written)
                                    : paths_.keys_folder(loaded_.site.name) + "/" + written;
  }

  // Of a kept config in TLS mode, of a site of mode pki and of a client.
  void check_keys() {
    const auto file = [this](const std::string& written) -> std::optional<KeyText> {
      const auto path = paths_of_.find(written);
      if (path == paths_of_.end()) return std::nullopt;
      return KeyText{path->second, 1, loaded_.files[written], {path->second, 0, 0}};
    };
    std::string passphrase;
    if (const auto login = loaded_.logins.find("askpass"); login != loaded_.logins.end()) {
      passphrase = ovpn::first_lines(login->second, 1).front();
    }
    const KeyFindings found = examine_keys(profile_, file, now_, passphrase);
    base::wipe(passphrase);
    problems_.insert(problems_.end(), found.problems.begin(), found.problems.end());
    auto& warnings = loaded_.warnings;
    warnings.insert(warnings.end(), found.warnings.begin(), found.warnings.end());
  }

  // This end's certificate and key, each alone and beside the other.
  void check_identity() {
    const site::Described& tunnel = *loaded_.site.described;
    const auto cert = loaded_.files.find(tunnel.cert), key = loaded_.files.find(tunnel.key);
    if (cert == loaded_.files.end() || key == loaded_.files.end()) return;  // told already
    const std::string file = path_below_keys(tunnel.cert);
    const auto certificate = pki::read_certificate(file, cert->second);
    if (!certificate) {
      if (is_client_site()) return;
      problems_.push_back(certificate.error());
    } else {
      check_certificate(file, *certificate);
    }
    if (is_client_site()) return;  // check_keys() looks at the rest, and a passphrase can be given
    const auto trouble = pki::key_trouble(path_below_keys(tunnel.key), key->second, cert->second);
    if (trouble) problems_.push_back(*trouble);
  }

  void check_certificate(const std::string& file, const pki::Certificate& certificate) {
    const std::string& name = loaded_.site.name;
    loaded_.own_fingerprint = certificate.fingerprint;
    for (const std::string& text : loaded_.site.described->peer_fingerprint) {
      const auto fingerprint = site::read_fingerprint(text);
      if (!fingerprint || *fingerprint != certificate.fingerprint) continue;
      problems_.push_back(
          {loaded_.site.place_of("peer-fingerprint"),
           "this is the fingerprint of this end's own certificate",
           "write the far end's; `tunctl key fingerprint " + name + "` prints it there"});
    }
    const auto trouble = pki::validity_trouble(certificate, now_);
    if (!trouble.empty() && !is_client_site()) {
      loaded_.warnings.push_back({{file, 0, 0},
                                  trouble,
                                  "`tunctl key gen " + name +
                                      " --force` makes another, whose fingerprint the far end "
                                      "then needs"});
    }
  }

  void check_key(const std::string& path, const std::string& text, std::size_t first_line) {
    const auto key = ovpn::parse_static_key(path, text, first_line);
    if (key) return;
    base::Problem problem = key.error();
    // The key of a block is not `key gen`'s to make.
    const bool own_file = first_line == 1;
    if (problem.remedy == ovpn::kMakeStaticKey) {
      problem.remedy = own_file
                           ? "`tunctl key gen " + loaded_.site.name +
                                 " --force` makes one in its place, or copy the far end's there"
                           : std::string(ovpn::kCopyStaticKey);
    }
    problems_.push_back(std::move(problem));
  }

  void warn_if_open(const std::string& path) {
    const auto status = files_.status(path);
    if (!status || (status->mode & kOthersMayRead) == 0) return;
    loaded_.warnings.push_back(
        {{path, 0, 0}, "everyone on this machine can read this key", "chmod 600 " + path});
  }

  host::FileStore& files_;
  const site::Paths& paths_;
  const base::UnixSeconds now_;
  LoadedSite loaded_;
  ovpn::Profile profile_;                        // of a kept config, a site of mode pki or a client
  std::map<std::string, std::string> paths_of_;  // where files were found, by FileNeed::written
  std::optional<std::string> secret_;            // the static key's file, as a kept config names it
  base::Problems problems_;
};

}  // namespace

render::RenderInput LoadedSite::render_input(const site::Paths& paths) const {
  return {.site = site,
          .config_bytes = config_bytes,
          .files = files,
          .logins = logins,
          .paths = paths,
          .own_fingerprint = own_fingerprint};
}

base::Result<LoadedSite, LoadError> load_site(host::FileStore& files, const site::Paths& paths,
                                              std::string_view name, int cpu_count,
                                              base::UnixSeconds now) {
  return SiteLoader(files, paths, now).load(name, cpu_count);
}

}  // namespace launch
