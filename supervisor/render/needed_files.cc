// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/needed_files.h"

#include <set>
#include <utility>

#include "ovpn/lexer.h"
#include "ovpn/profile_file.h"
#include "supervisor/render/file_directives.h"

namespace render {
namespace {

bool is_absolute(std::string_view path) { return path.starts_with('/'); }

// `crl-verify FOLDER dir` names a folder, `dh none` and `auth-user-pass` without a word no file.
bool names_a_file(const ovpn::Directive& line) {
  if (line.body || line.args.empty()) return false;
  if (line.name == "crl-verify" && line.args.size() > 1) return false;
  return !(line.name == "dh" && line.args[0] == "none");
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
  if (tunnel.mode == site::Mode::kFingerprint) {
    need("cert", tunnel.cert, false);
    need("key", tunnel.key, true);
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
  for (const ovpn::Directive& line : lexed.profile.directives) {
    const FileDirective* row = find_file_directive(line.name);
    if (row == nullptr || row->use != FileUse::kRead || !names_a_file(line)) continue;
    // Named by several lines, it is read once (and once more as a secret).
    if (!seen.emplace(line.args[0], row->secret).second) continue;
    FileNeed need{"", "", line.args[0], line.place, row->secret};
    if (is_absolute(need.written)) {
      need.path = paths.inside(need.written);
    } else {
      need.path = paths.keys_folder(site.name) + "/" + site::file_name_of(need.written);
      need.otherwise = paths.inside(folder) + "/" + need.written;
    }
    needs.push_back(std::move(need));
  }
  return needs;
}

}  // namespace render
