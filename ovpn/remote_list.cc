// SPDX-License-Identifier: Apache-2.0
#include "ovpn/remote_list.h"

#include <algorithm>

#include "ovpn/lexer.h"

namespace ovpn {
namespace {

// `port` sets both ends; whichever of the two names comes last wins.
std::string port_of_side(const Profile& profile, std::string_view side, std::string_view fallback) {
  std::string port(fallback);
  for (const Directive& directive : profile.directives) {
    if ((directive.name == "port" || directive.name == side) && !directive.args.empty()) {
      port = directive.args[0];
    }
  }
  return port;
}

void append_remotes(const Profile& profile, const std::string& port, const std::string& proto,
                    const std::vector<Directive>& block, std::vector<Remote>& remotes) {
  for (const Directive* remote : profile.all("remote")) {
    const auto& args = remote->args;
    if (args.empty()) continue;
    remotes.push_back({.host = args[0],
                       .port = args.size() > 1 ? args[1] : port,
                       .proto = args.size() > 2 ? args[2] : proto,
                       .block = block,
                       .place = remote->place});
  }
}

}  // namespace

std::string config_proto(const Profile& profile) { return profile.arg("proto").value_or("udp"); }

std::string local_port(const Profile& profile) {
  return port_of_side(profile, "lport", kDefaultPort);
}

std::vector<Remote> remote_list(const Profile& profile) {
  const std::string port = port_of_side(profile, "rport", kDefaultPort);
  const std::string proto = config_proto(profile);
  std::vector<Remote> remotes;
  for (const Directive* block : profile.all("connection")) {
    const Profile inner = lex_block(*block).profile;
    append_remotes(inner, port_of_side(inner, "rport", port), inner.arg("proto").value_or(proto),
                   inner.directives, remotes);
  }
  if (remotes.empty()) append_remotes(profile, port, proto, {}, remotes);
  return remotes;
}

bool uses_udp(const Profile& profile) {
  const auto is_udp = [](std::string_view proto) { return proto.starts_with("udp"); };
  const auto remotes = remote_list(profile);
  if (remotes.empty()) return is_udp(config_proto(profile));
  return std::ranges::any_of(remotes, [&](const Remote& remote) { return is_udp(remote.proto); });
}

}  // namespace ovpn
