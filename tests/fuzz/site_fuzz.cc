// SPDX-License-Identifier: Apache-2.0
// Any bytes as a site file: no crash, every problem with a message and inside the file, and what
// is taken renders to a config that our own lexer reads back.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "ovpn/lexer.h"
#include "supervisor/render/render.h"
#include "supervisor/site/cross_check.h"
#include "supervisor/site/site_check.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

constexpr int kCpuCount = 4;

void check_place(const base::Problem& problem, std::size_t lines) {
  FUZZ_CHECK(!problem.message.empty());
  FUZZ_CHECK(problem.place.line <= lines);
}

void render_both_ends(const site::Site& site) {
  if (!site.described) return;
  render::RenderInput input{.site = site};
  if (site.described->mode == site::Mode::kFingerprint) input.own_fingerprint = "00:11";
  for (const auto& need : render::needed_files(site, "", site::Paths())) {
    input.files[need.written] = "key\n";
  }
  for (const auto end : {render::End::kNear, render::End::kFar}) {
    input.end = end;
    const auto rendered = render::render(input);
    if (!rendered) continue;
    const auto lexed = ovpn::lex_config("rendered", rendered->artifacts.front().bytes);
    FUZZ_CHECK(lexed.problems.empty() || lexed.problems.front().place.line > 0);
    FUZZ_CHECK(lexed.profile.directives.size() <= rendered->profile.directives.size());
    site::footprint_of(site.name, rendered->profile);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto lines = static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  const auto reading = site::read_site("site-a", "site-a.toml", bytes);
  FUZZ_CHECK(reading.site.has_value() == reading.problems.empty());
  for (const auto& problem : reading.problems) check_place(problem, lines);
  if (!reading.site) return 0;
  const auto checked = site::check_site(*reading.site, kCpuCount);
  for (const auto& problem : checked.problems) check_place(problem, lines);
  for (const auto& warning : checked.warnings) check_place(warning, lines);
  if (checked.problems.empty()) render_both_ends(*reading.site);
  return 0;
}
