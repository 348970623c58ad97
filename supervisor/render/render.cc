// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/render.h"

#include <utility>

#include "ovpn/lexer.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/far_end.h"
#include "supervisor/render/far_end_steps.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/kept_config.h"
#include "supervisor/render/kept_render.h"
#include "supervisor/render/logins.h"
#include "supervisor/render/needed_files.h"
#include "supervisor/render/output_folder.h"
#include "supervisor/render/version_lines.h"

namespace render {
namespace {

constexpr mode_t kSecretMode = 0600;

std::string header(const RenderInput& input) {
  const std::string& name = input.site.name;
  if (input.end == End::kFar) {
    return "# " + name + ", far end. Rendered by tunctl.\n" + far_end_steps(input);
  }
  return "# " + name + ". Rendered by tunctl from " + input.paths.as_written(input.site.file) +
         "; edit that.\n";
}

base::Result<ovpn::Profile, base::Problems> near_profile(const RenderInput& input) {
  if (input.site.described) return described_profile(input.site);
  auto lexed = ovpn::lex_config(input.paths.inside(config_path(input.site)), input.config_bytes);
  if (!lexed.problems.empty()) return lexed.problems;
  return std::move(lexed.profile);
}

// `secret FILE [direction]` and its like become a block, or the path of the file's copy.
std::optional<base::Problem> place_file(ovpn::Directive& line, std::vector<ovpn::Directive>& before,
                                        const RenderInput& input, OutputFolder& out) {
  const std::string held = site::credential_path(input.site.name, line.args[0]);
  if (!held.empty() && input.for_unit) {
    line.args[0] = held;
    return std::nullopt;
  }
  if (!held.empty()) {
    return base::Problem{line.place, "the key is held by systemd, for the site's unit alone",
                         "write a key file's name to have it rendered"};
  }
  const auto file = input.files.find(line.args[0]);
  if (file == input.files.end()) {
    return base::Problem{line.place, "the file " + line.args[0] + " was not read", ""};
  }
  if (!input.inline_key) {
    const FileDirective* row = find_file_directive(line.name);
    line.args[0] = out.add(line.args[0], file->second, row != nullptr && row->secret);
    return std::nullopt;
  }
  std::vector<std::string> direction(line.args.begin() + 1, line.args.end());
  if (!direction.empty()) {
    before.push_back({"key-direction", std::move(direction), std::nullopt, line.place});
  }
  line = {line.name, {}, file->second, line.place};
  return std::nullopt;
}

base::Problems place_files(ovpn::Profile& profile, const RenderInput& input, OutputFolder& out) {
  std::vector<ovpn::Directive> lines;
  for (ovpn::Directive& line : profile.directives) {
    // The far end's certificate and key are its own.
    const bool own = line.name == "cert" || line.name == "key";
    const bool shared = line.name == "secret" || line.name == "ca" || line.name == "tls-auth" ||
                        line.name == "tls-crypt" || line.name == "tls-crypt-v2";
    const bool placed = shared || (own && input.end == End::kNear);
    if (placed && !line.body && !line.args.empty()) {
      if (const auto problem = place_file(line, lines, input, out)) return {*problem};
    }
    lines.push_back(std::move(line));
  }
  profile.directives = std::move(lines);
  return {};
}

// What a person gave goes beside the config; in one file for everything there is no place for it.
void place_logins(ovpn::Profile& profile, const RenderInput& input, OutputFolder& out) {
  if (input.inline_key || input.end == End::kFar) return;
  std::vector<Edit> edits;
  std::vector<ovpn::Directive> added;
  for (const Login& login : wanted_logins(profile)) {
    const auto path = login_path(login, input, out);
    if (!path) continue;
    if (login.line == nullptr) {
      added.push_back(login_lines(login, *path).front());
    } else {
      edits.push_back({login.line, login_lines(login, *path)});
    }
  }
  profile = apply_edits(profile, edits, added);
}

void write_config(const RenderInput& input, const ovpn::Profile& profile, Artifact& config) {
  config.bytes = header(input);
  for (const ovpn::Directive& line : profile.directives) {
    config.bytes += ovpn::format_directive(line);
    const FileDirective* row = find_file_directive(line.name);
    if (line.body && (row == nullptr || row->secret)) config.secret = true;
  }
  if (config.secret) config.mode = kSecretMode;
}

// A described site, and every far end: text made from directives.
base::Result<Rendered, base::Problems> render_directives(const RenderInput& input) {
  auto near = near_profile(input);
  if (!near) return near.error();
  ovpn::Profile profile = std::move(near).value();
  Rendered rendered;
  if (input.end == End::kFar && input.site.described && site::is_client(*input.site.described)) {
    return base::Problems{{input.site.place_of("type"),
                           "the far end of a client is a server, which has keys and clients that "
                           "this site knows nothing of",
                           "its config is written where it runs"}};
  }
  if (input.end == End::kFar) {
    const bool described = input.site.described.has_value();
    const FarIdentity identity{input.site.name, described ? input.own_fingerprint : "",
                               described && input.site.described->mode == site::Mode::kPki};
    auto far = far_end_of(profile, input.site.far_end, input.remote, identity);
    if (!far) return far.error();
    profile = std::move(far->profile);
    rendered.notes = std::move(far->notes);
  }
  if (const auto* line = profile.last("peer-fingerprint");
      line != nullptr && input.version == ForVersion::k25) {
    return base::Problems{{line->place, "OpenVPN 2.5 does not know peer-fingerprint",
                           input.site.described && site::is_client(*input.site.described)
                               ? "update it to 2.6, or use mode = \"pki\""
                               : "update it there to 2.6, or use mode = \"static-key\""}};
  }
  OutputFolder out(input.folder, input.site.name + ".conf");
  if (auto problems = place_files(profile, input, out); !problems.empty()) return problems;
  place_logins(profile, input, out);
  // In a unit the guard knows the version that it starts, and says on its command line what that
  // one needs: 2.6 would complain at every start of a line that is for 2.7.
  if (!input.for_unit) {
    for (ovpn::Directive& line : version_lines(profile, input.version)) {
      profile.directives.push_back(std::move(line));
    }
  }
  write_config(input, profile, out.config());
  rendered.artifacts = out.take();
  rendered.profile = std::move(profile);
  return rendered;
}

}  // namespace

base::Result<Rendered, base::Problems> render(const RenderInput& input) {
  const bool kept = !input.site.described && input.end == End::kNear;
  return kept ? render_kept(input) : render_directives(input);
}

}  // namespace render
