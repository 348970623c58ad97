// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/migrated_site.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ovpn/lexer.h"
#include "ovpn/wipe_blocks.h"
#include "supervisor/cli/new_site.h"
#include "supervisor/cli/site_text_edit.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/kept_config.h"
#include "supervisor/render/needed_files.h"
#include "supervisor/site/paths.h"

namespace cli {
namespace {

// Of static-key mode alone, in a site file and in a config.
constexpr std::array<std::string_view, 4> kStaticKeys{"secret", "key-direction", "cipher", "auth"};
constexpr std::array<std::string_view, 7> kStaticLines{"secret",
                                                       "key-direction",
                                                       "cipher",
                                                       "auth",
                                                       "providers",
                                                       "no-replay",
                                                       "allow-deprecated-insecure-static-crypto"};
// What stands for them.
constexpr std::array<std::string_view, 5> kTlsLines{"tls-server", "tls-client", "dh", "cert",
                                                    "key"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_static_line(const ovpn::Directive& line) {
  const bool wrapped = line.name == "setenv" && line.args.size() > 1 && line.args[0] == "opt";
  return is_in(kStaticLines, wrapped ? std::string_view(line.args[1]) : line.name);
}

// All that a profile says but what protects its packets.
std::string rest_of(const ovpn::Profile& profile) {
  std::string text;
  for (const ovpn::Directive& line : profile.directives) {
    const bool tls = is_in(kTlsLines, line.name) || line.name == "peer-fingerprint";
    if (!tls && !is_static_line(line)) text += ovpn::format_directive(line);
  }
  return text;
}

base::Problem unusual(const base::Place& place, const std::string& what) {
  return {place, what + " is spelled in a way that is not edited here",
          "write it on a line of its own"};
}

std::string tls_keys(const MigrationWish& wish) {
  return "mode = \"fingerprint\"\nrole = \"" + wish.role + "\"\ncert = \"" +
         std::string(kCertificateFile) + "\"\nkey = \"" + std::string(kKeyFile) +
         "\"\npeer-fingerprint = [\"" + wish.peer_fingerprint + "\"]\n";
}

base::Result<MigratedSite> described(const site::Site& site, const std::string& text,
                                     const MigrationWish& wish) {
  if (site.described->mode != site::Mode::kStaticKey) {
    return base::Problem{site.place_of("mode"), "this site has no static key", ""};
  }
  // From the last line to the first, so that the places stay true.
  std::vector<std::pair<std::size_t, std::string_view>> lines;
  for (const std::string_view key : kStaticKeys) {
    if (site.places.contains(key)) lines.emplace_back(site.place_of(key).line, key);
  }
  const std::string_view first = site.places.contains("mode") ? "mode" : "secret";
  if (first == "mode") lines.emplace_back(site.place_of("mode").line, "mode");
  std::sort(lines.rbegin(), lines.rend());
  std::string edited = text;
  for (const auto& [line, key] : lines) {
    auto next = with_lines_for(edited, line, key == first ? tls_keys(wish) : "");
    if (!next) return unusual(site.place_of(key), "'" + std::string(key) + "'");
    edited = *std::move(next);
  }
  const auto reading = site::read_site(site.name, site.file, edited);
  const bool same =
      reading.site && reading.site->described &&
      reading.site->described->mode == site::Mode::kFingerprint &&
      rest_of(render::described_profile(*reading.site)) == rest_of(render::described_profile(site));
  if (!same) return unusual({site.file, 0, 0}, "the site file");
  return MigratedSite{edited, std::nullopt};
}

// The config without those lines: each stays visible as a comment, but for what a block holds.
std::string without_lines(const std::string& bytes, const ovpn::Profile& profile) {
  std::string text, closing;
  std::size_t number = 0;
  for (const std::string_view line : base::split(bytes, '\n')) {
    ++number;
    const std::string_view bare = line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
    if (!closing.empty()) {
      if (base::trim(bare).starts_with(closing)) closing.clear();
      continue;
    }
    const auto at =
        std::find_if(profile.directives.begin(), profile.directives.end(),
                     [number](const ovpn::Directive& one) { return one.place.line == number; });
    if (at == profile.directives.end() || !is_static_line(*at)) {
      text += std::string(line) + "\n";
      continue;
    }
    text += "# tunctl leaves out: " + std::string(bare) + "\n";
    if (at->body) closing = "</" + at->name + ">";
  }
  // The last line's end was none of the text's.
  if (!bytes.empty() && !text.empty()) text.pop_back();
  return text;
}

base::Result<MigratedSite> kept(const launch::LoadedSite& loaded, const std::string& text,
                                const MigrationWish& wish, const site::Paths& paths) {
  const site::Site& site = loaded.site;
  const std::string old_path = paths.inside(render::config_path(site));
  auto old = ovpn::lex_config(old_path, loaded.config_bytes);
  if (!old.profile.has("secret")) {
    return base::Problem{{old_path, 0, 0}, "this config has no static key", ""};
  }
  // The site's own lines are read behind the config and not written into it.
  const std::string bytes = loaded.config_bytes.substr(
      0, loaded.config_bytes.size() - (render::with_options("\n", site.options).size() - 1));
  std::string config = without_lines(bytes, old.profile);
  if (!config.ends_with('\n')) config += '\n';
  const std::string folder = render::working_folder(site, old.profile);
  config += "# tunctl adds:\n";
  if (folder != site::folder_of(paths.as_written(wish.config_path)) && !old.profile.has("cd")) {
    config += ovpn::format_directive({"cd", {folder}, std::nullopt, {}});
  }
  config += wish.role == "server" ? "tls-server\ndh none\n" : "tls-client\n";
  config += "cert " + std::string(kCertificateFile) + "\nkey " + std::string(kKeyFile) +
            "\npeer-fingerprint " + wish.peer_fingerprint + "\n";
  const auto fresh = ovpn::lex_config(wish.config_path, render::with_options(config, site.options));
  ovpn::Profile rest = fresh.profile;
  std::erase_if(rest.directives, [&](const ovpn::Directive& line) {
    return line.name == "cd" && !old.profile.has("cd");
  });
  const bool same = fresh.problems.empty() && !fresh.profile.has("secret") &&
                    rest_of(rest) == rest_of(old.profile);
  ovpn::wipe_blocks(old.profile);
  if (!same) return unusual({old_path, 0, 0}, "the static key or its cipher");
  auto edited = with_value(text, site.place_of("config").line,
                           "\"" + paths.as_written(wish.config_path) + "\"");
  if (!edited) return unusual(site.place_of("config"), "'config'");
  return MigratedSite{*std::move(edited),
                      render::Artifact{wish.config_path, std::move(config), 0600, false}};
}

}  // namespace

base::Result<MigratedSite> migrated_site(const launch::LoadedSite& loaded, const std::string& text,
                                         const MigrationWish& wish, const site::Paths& paths) {
  if (loaded.site.described) return described(loaded.site, text, wish);
  return kept(loaded, text, wish, paths);
}

}  // namespace cli
