// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/start_digest.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/sha256.h"
#include "base/wipe.h"
#include "ovpn/lexer.h"
#include "supervisor/render/render.h"
#include "supervisor/site/site_keys.h"

namespace launch {
namespace {

// What make_plan() and the drop-in take from the site itself.
std::string words_of(const site::Site& site) {
  const site::RunOptions& run = site.run;
  std::string words = fmt::format(
      "{} {} {} {} {} {} {} {} {} {}\n", site::to_string(run.engine), run.cpus, run.threads,
      site::to_string(run.ready), run.ready_timeout_seconds, run.watchdog_seconds,
      run.clock_wait_seconds, run.scripts, run.resume, site.acknowledge_cleartext);
  for (const std::string& server : site.dns.use) words += server + "\n";
  return words;
}

}  // namespace

std::string start_digest(const LoadedSite& loaded, const site::Paths& paths, bool starts_as_root) {
  auto input = loaded.render_input(paths);
  input.folder = paths.runtime_folder(loaded.site.name);
  input.for_unit = true;
  input.starts_as_root = starts_as_root;
  const auto rendered = render::render(input);
  if (!rendered) return "";
  std::string text = words_of(loaded.site) + fmt::format("{}\n", rendered->nice);
  for (const ovpn::Directive& line : rendered->profile.directives) {
    text += ovpn::format_directive(line);
  }
  // The first one is the config, whose comments make no difference.
  for (std::size_t at = 1; at < rendered->artifacts.size(); ++at) {
    const render::Artifact& file = rendered->artifacts[at];
    text += fmt::format("{} {}\n", file.path, file.bytes.size()) + file.bytes;
  }
  std::string digest = base::to_hex(base::sha256(base::as_bytes(text)));
  base::wipe(text);
  return digest;
}

}  // namespace launch
