// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/load.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/wipe.h"
#include "fastpath/engine/load_tls.h"
#include "fastpath/engine/loaded_hash.h"
#include "fastpath/engine/process.h"
#include "fastpath/engine/secret_file.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/native_support.h"
#include "ovpn/profile_file.h"
#include "ovpn/wipe_blocks.h"

namespace engine {
namespace {

std::string absolute(const std::string& file, const std::string& directory) {
  return file.starts_with("/") ? file : directory + "/" + file;
}

void append(base::Problems& to, const base::Problems& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// What no OpenVPN can run is not stock's either.
base::Problems apart_from(base::Problems gaps, const base::Problems& errors) {
  std::erase_if(gaps, [&errors](const base::Problem& gap) {
    return std::any_of(errors.begin(), errors.end(),
                       [&gap](const base::Problem& error) { return error.place == gap.place; });
  });
  return gaps;
}

// "tls-client: TLS mode" is a reason among many in `tunctl status`; alone in front of a person it
// has to say what to do.
void append_gaps(base::Problems& to, base::Problems gaps) {
  for (base::Problem& gap : gaps) {
    gap.message = "not native: " + gap.message;
    if (gap.remedy.empty()) gap.remedy = "stock openvpn runs it, and so does a site of tunctl's";
    to.push_back(std::move(gap));
  }
}

void read_meaning(Loaded& loaded, ovpn::Profile& profile, base::Problems& problems) {
  if (loaded.own.acknowledge_cleartext) {
    profile.directives.push_back({"acknowledge-cleartext", {}, std::nullopt, {}});
  }
  auto config = config::make_tunnel_config(profile);
  if (!config) return append(problems, config.error());
  loaded.config = std::move(*config);
}

// What a proxy is to be shown. Read now: rights and root may be given up before it is needed.
void read_proxy_logins(config::LinkConfig& link, base::Problems& warnings,
                       base::Problems& problems) {
  for (config::RemoteConfig& remote : link.remotes) {
    if (!remote.proxy || remote.proxy->login_file.empty()) continue;
    const std::string& file = remote.proxy->login_file;
    if (file != "[inline]") {
      auto text = base::read_file(file);
      if (!text) {
        problems.push_back({{},
                            "proxy login: " + text.error().message,
                            "write user name and password to it, a line each"});
        return;
      }
      warn_if_readable_by_all(file, warnings);
      remote.proxy->login_text = std::move(*text);
    }
    if (!config::parse_proxy_login(remote.proxy->login_text)) {
      problems.push_back({{},
                          "proxy login " + file + ": no user name and password",
                          "write them to it, a line each"});
      return;
    }
  }
}

void read_key(Loaded& loaded, const std::string& start, base::Problems& problems) {
  const std::string& folder = loaded.config.process.directory;
  const bool there = folder == working_directory() || ::chdir(folder.c_str()) == 0;
  // In a chroot there may be no such folder as the start's, and nobody asked for it.
  if (!there && folder != start) {
    problems.push_back({{}, base::errno_text("cd " + folder, errno), "make that folder"});
    return;
  }
  read_proxy_logins(loaded.config.link, loaded.config.warnings, problems);
  if (loaded.config.tls) {
    append(problems,
           load_tls_files(*loaded.config.tls, loaded.own.credentials_file, loaded.config.warnings));
    forget_reread_password(loaded.config);
    return;
  }
  auto key = load_key(loaded.config.crypto, loaded.config.warnings);
  if (!key) {
    problems.push_back(key.error());
    return;
  }
  loaded.key = std::move(*key);
}

// Nothing of an inline key stays behind in the lines it was read from.
class Wiper {
 public:
  explicit Wiper(ovpn::Profile& profile) : profile_(profile) {}
  ~Wiper() { ovpn::wipe_blocks(profile_); }
  Wiper(const Wiper&) = delete;
  Wiper& operator=(const Wiper&) = delete;

 private:
  ovpn::Profile& profile_;
};

}  // namespace

base::Result<std::optional<ovpn::StaticKey>> load_key(config::CryptoConfig& crypto,
                                                      base::Problems& warnings) {
  if (crypto.null_mode) return std::optional<ovpn::StaticKey>();
  std::string text = std::move(crypto.secret_text);
  crypto.secret_text.clear();
  if (text.empty()) {
    auto bytes = base::read_file(crypto.secret_file);
    if (!bytes) {
      const bool refused = bytes.error().message.ends_with("Permission denied");
      return base::Problem{
          {},
          "secret: " + bytes.error().message,
          refused ? "run as root, or let this user read it" : std::string(ovpn::kMakeStaticKey)};
    }
    warn_if_readable_by_all(crypto.secret_file, warnings);
    text = std::move(*bytes);
  }
  // A block's text begins on the line behind its tag.
  auto key = crypto.secret_inline ? ovpn::parse_static_key(crypto.secret_place.file, text,
                                                           crypto.secret_place.line + 1)
                                  : ovpn::parse_static_key(crypto.secret_file, text);
  base::wipe(text);
  if (!key) return key.error();
  return std::optional<ovpn::StaticKey>(std::move(*key));
}

base::Result<Loaded, base::Problems> load(const std::vector<std::string>& arguments,
                                          const std::string& directory) {
  base::Problems problems;
  Loaded loaded;
  const auto read = [&](const std::string& path) {
    const std::string whole = path == "stdin" ? "/dev/stdin" : absolute(path, directory);
    if (loaded.config_file.empty()) loaded.config_file = whole;
    return base::read_file(whole);
  };
  ovpn::LexResult words = ovpn::lex_arguments(arguments);
  ovpn::LexResult whole = ovpn::expand_includes(words.profile, read);
  const Wiper whole_wiper(whole.profile), words_wiper(words.profile);
  append(problems, words.problems);
  append(problems, whole.problems);
  std::string options = text_for_hash(whole.profile);
  loaded.own = take_own_options(whole.profile, problems);
  std::string& credentials = loaded.own.credentials_file;
  if (!credentials.empty()) credentials = absolute(credentials, directory);
  const ovpn::TableCheck check = ovpn::check_directives(whole.profile);
  append(problems, check.problems);
  // Behind a line that says nothing known, the rest may be missing what that line meant.
  base::Problems errors;
  if (problems.empty()) errors = ovpn::config_errors(whole.profile);
  append(problems, errors);
  append_gaps(problems, apart_from(ovpn::native_gaps(whole.profile), errors));
  if (!problems.empty()) {
    base::wipe(options);
    return problems;
  }
  ovpn::Profile effective = ovpn::effective_profile(whole.profile);
  const Wiper effective_wiper(effective);
  read_meaning(loaded, effective, problems);
  if (problems.empty()) {
    // Absolute, because a reload begins where the last load went.
    loaded.config.process.directory = ovpn::folder_after_cd(effective, directory);
    read_key(loaded, directory, problems);
    const ovpn::Directive* secret = effective.last("secret");
    if (loaded.config.crypto.secret_inline && secret != nullptr) {
      warn_if_readable_by_all(absolute(secret->place.file, directory), loaded.config.warnings);
    }
    for (base::Problem& problem : problems) {
      if (problem.place.file.empty() && secret != nullptr) problem.place = secret->place;
    }
  }
  loaded.hash = hash_of(std::move(options), loaded);
  if (!problems.empty()) return problems;
  loaded.config.warnings.insert(loaded.config.warnings.begin(), check.warnings.begin(),
                                check.warnings.end());
  return loaded;
}

}  // namespace engine
