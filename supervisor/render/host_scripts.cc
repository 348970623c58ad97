// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/host_scripts.h"

#include <algorithm>
#include <array>
#include <string>

#include "ovpn/directive_table.h"
#include "ovpn/line_words.h"
#include "supervisor/site/paths.h"

namespace render {
namespace {

constexpr std::string_view kDownRoot = "openvpn-plugin-down-root.so";

bool is_down_root(const ovpn::Directive& line) {
  return line.name == "plugin" && !line.args.empty() &&
         site::file_name_of(line.args[0]) == kDownRoot;
}

// "/etc/openvpn/update-resolv-conf.sh -x" -> "update-resolv-conf": as distributions call it.
std::string script_name(const std::string& command) {
  const auto words = ovpn::split_config_line(command).words;
  std::string name = words.empty() ? "" : site::file_name_of(words[0]);
  if (name.ends_with(".sh")) name.resize(name.size() - 3);
  constexpr std::string_view kPrefix = "openvpn-";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  return name;
}

}  // namespace

bool changes_host(const ovpn::Directive& written) {
  constexpr std::array<std::string_view, 5> kNames{"up", "down", "route-up", "route-pre-down",
                                                   "ipchange"};
  const ovpn::Directive line = ovpn::unwrap_setenv_opt(written);
  if (line.args.empty()) return false;
  return is_down_root(line) || std::find(kNames.begin(), kNames.end(), line.name) != kNames.end();
}

bool sets_name_servers(const ovpn::Directive& written) {
  if (!changes_host(written)) return false;
  const ovpn::Directive line = ovpn::unwrap_setenv_opt(written);
  const std::size_t at = is_down_root(line) ? 1 : 0;
  const std::string name = line.args.size() > at ? script_name(line.args[at]) : "";
  return name == "update-resolv-conf" || name == "update-systemd-resolved";
}

std::optional<std::string_view> dropped_script(const site::Site& site,
                                               const ovpn::Directive& line) {
  if (!site.dns.use.empty() && sets_name_servers(line)) {
    return "name servers are what the site's dns.use says";
  }
  if (!site.run.scripts && changes_host(line)) return "the site's scripts are off";
  return std::nullopt;
}

}  // namespace render
