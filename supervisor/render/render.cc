// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/render.h"

#include <algorithm>
#include <utility>

#include "ovpn/lexer.h"
#include "supervisor/render/described_profile.h"
#include "supervisor/render/far_end.h"
#include "supervisor/render/kept_render.h"
#include "supervisor/render/needed_files.h"
#include "supervisor/render/output_folder.h"
#include "supervisor/render/version_lines.h"

namespace render {
namespace {

constexpr mode_t kSecretMode = 0600;

std::string header(const RenderInput& input) {
  const std::string& name = input.site.name;
  if (input.end == End::kFar) return "# " + name + ", far end. Rendered by tunctl.\n";
  return "# " + name + ". Rendered by tunctl from " + input.paths.as_written(input.site.file) +
         "; edit that.\n";
}

base::Result<ovpn::Profile, base::Problems> near_profile(const RenderInput& input) {
  if (input.site.described) return described_profile(input.site);
  auto lexed = ovpn::lex_config(input.paths.inside(config_path(input.site)), input.config_bytes);
  if (!lexed.problems.empty()) return lexed.problems;
  return std::move(lexed.profile);
}

// `secret FILE [direction]` becomes a block, or the path of the key's copy.
base::Problems place_secret(ovpn::Profile& profile, const RenderInput& input, OutputFolder& out) {
  auto& lines = profile.directives;
  const auto secret = std::find_if(lines.begin(), lines.end(), [](const ovpn::Directive& line) {
    return line.name == "secret" && !line.body && !line.args.empty();
  });
  if (secret == lines.end()) return {};
  const auto key = input.files.find(secret->args[0]);
  if (key == input.files.end()) {
    return {{secret->place, "the key " + secret->args[0] + " was not read", ""}};
  }
  if (!input.inline_key) {
    secret->args[0] = out.add(secret->args[0], key->second, true);
    return {};
  }
  std::vector<std::string> direction(secret->args.begin() + 1, secret->args.end());
  const base::Place place = secret->place;
  *secret = {"secret", {}, key->second, place};
  if (!direction.empty()) {
    lines.insert(secret, {"key-direction", std::move(direction), std::nullopt, place});
  }
  return {};
}

void write_config(const RenderInput& input, const ovpn::Profile& profile, Artifact& config) {
  config.bytes = header(input);
  for (const ovpn::Directive& line : profile.directives) {
    config.bytes += ovpn::format_directive(line);
    if (line.body) config.secret = true;
  }
  if (config.secret) config.mode = kSecretMode;
}

// A described site, and every far end: text made from directives.
base::Result<Rendered, base::Problems> render_directives(const RenderInput& input) {
  auto near = near_profile(input);
  if (!near) return near.error();
  ovpn::Profile profile = std::move(near).value();
  Rendered rendered;
  if (input.end == End::kFar) {
    auto far = far_end_of(profile, input.site.far_end, input.remote);
    if (!far) return far.error();
    profile = std::move(far->profile);
    rendered.notes = std::move(far->notes);
  }
  OutputFolder out(input.folder, input.site.name + ".conf");
  if (auto problems = place_secret(profile, input, out); !problems.empty()) return problems;
  for (ovpn::Directive& line : version_lines(profile, input.version)) {
    profile.directives.push_back(std::move(line));
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
