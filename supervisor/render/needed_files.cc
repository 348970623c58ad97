// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/needed_files.h"

#include <set>
#include <utility>

#include "ovpn/lexer.h"
#include "ovpn/profile_file.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/logins.h"

namespace render {
namespace {

bool is_absolute(std::string_view path) { return path.starts_with('/'); }

// `crl-verify FOLDER dir` names a folder.
const std::string* read_word(const ovpn::Directive& line) {
  const FileDirective* row = find_file_directive(line.name);
  if (row == nullptr || row->use != FileUse::kRead) return nullptr;
  if (line.name == "crl-verify" && line.args.size() > 1) return nullptr;
  return file_word(*row, line);
}

// `need_of` makes a need of a word that names a file.
template <typename NeedOf>
void add_logins(std::vector<FileNeed>& needs, const ovpn::Profile& profile, const site::Site& site,
                const site::Paths& paths, const NeedOf& need_of) {
  for (const Login& login : wanted_logins(profile)) {
    const std::string* word = login.line == nullptr ? nullptr : read_word(*login.line);
    const base::Place place = login.line == nullptr ? base::Place{} : login.line->place;
    FileNeed need =
        word == nullptr ? FileNeed{"", "", "", place, true} : need_of(*word, place, true);
    need.login = login.name;
    need.stored = paths.keys_folder(site.name) + "/" + need.login;
    if (const std::string said = site.credentials.of(login.name); !said.empty()) {
      need.held = said.starts_with(site::kCredential);
      need.stored =
          is_absolute(said) ? paths.inside(said) : paths.keys_folder(site.name) + "/" + said;
      need.path = need.otherwise = "";
      need.written = said;
    }
    need.kind = login.kind;
    need.optional = login.optional;
    needs.push_back(std::move(need));
  }
}

std::vector<FileNeed> of_described(const site::Site& site, const site::Paths& paths) {
  std::vector<FileNeed> needs;
  const auto need = [&](const char* key, const std::string& written, bool secret) {
    if (written.empty()) return;
    const std::string path =
        is_absolute(written) ? paths.inside(written) : paths.keys_folder(site.name) + "/" + written;
    needs.push_back({path, "", written, site.place_of(key), secret});
  };
  const site::Described& tunnel = *site.described;
  if (tunnel.mode == site::Mode::kStaticKey) need("secret", tunnel.secret, true);
  if (tunnel.mode == site::Mode::kPki) need("ca", tunnel.ca, false);
  if (site::is_tls(tunnel.mode)) {
    need("cert", tunnel.cert, false);
    need("key", tunnel.key, true);
  }
  const bool client = site::is_client(tunnel) && site::is_tls(tunnel.mode);
  if (tunnel.mode == site::Mode::kPki || client) {
    need("tls-auth", tunnel.tls_auth, true);
    need("tls-crypt", tunnel.tls_crypt, true);
    if (client) need("tls-crypt-v2", tunnel.tls_crypt_v2, true);
    // No line of a described site names a login's file.
    const auto need_of = [](const std::string& word, const base::Place& place, bool secret) {
      return FileNeed{"", "", word, place, secret};
    };
    add_logins(needs, described_profile(site), site, paths, need_of);
  }
  return needs;
}

}  // namespace

std::string config_path(const site::Site& site) {
  return is_absolute(site.config) ? site.config : "/etc/tunctl/ovpn/" + site.config;
}

std::string working_folder(const site::Site& site, const ovpn::Profile& profile) {
  return ovpn::folder_after_cd(profile, site::folder_of(config_path(site)));
}

std::vector<FileNeed> needed_config(const site::Site& site, const site::Paths& paths) {
  if (site.described) return {};
  return {{paths.inside(config_path(site)), "", site.config, site.place_of("config"), false}};
}

std::vector<FileNeed> needed_files(const site::Site& site, const std::string& config_bytes,
                                   const site::Paths& paths) {
  if (site.described) return of_described(site, paths);
  std::vector<FileNeed> needs;
  const auto lexed = ovpn::lex_config(paths.inside(config_path(site)), config_bytes);
  const std::string folder = working_folder(site, lexed.profile);
  std::set<std::pair<std::string, bool>> seen;
  const auto need_of = [&](const std::string& word, const base::Place& place, bool secret) {
    FileNeed need{"", "", word, place, secret};
    if (is_absolute(word)) {
      need.path = paths.inside(word);
    } else {
      need.path = paths.keys_folder(site.name) + "/" + site::file_name_of(word);
      need.otherwise = paths.inside(folder) + "/" + word;
    }
    return need;
  };
  for (const ovpn::Directive& line : lexed.profile.directives) {
    const std::string* word = read_word(line);
    const FileDirective* row = find_file_directive(line.name);
    if (word == nullptr || !row->login.empty()) continue;
    // Named by several lines, it is read once (and once more as a secret).
    if (!seen.emplace(*word, row->secret).second) continue;
    needs.push_back(need_of(*word, line.place, row->secret));
  }
  add_logins(needs, lexed.profile, site, paths, need_of);
  return needs;
}

}  // namespace render
