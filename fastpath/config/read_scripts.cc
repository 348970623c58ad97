// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/reading.h"

namespace config {
namespace {

// A script's command line is one word of the config: quotes join it, as OpenVPN wants it.
void up(Reading& r, const ovpn::Directive& d) { r.config.scripts.up = word(d, 0); }
void down(Reading& r, const ovpn::Directive& d) { r.config.scripts.down = word(d, 0); }
void route_up(Reading& r, const ovpn::Directive& d) { r.config.scripts.route_up = word(d, 0); }
void route_pre_down(Reading& r, const ovpn::Directive& d) {
  r.config.scripts.route_pre_down = word(d, 0);
}
void ipchange(Reading& r, const ovpn::Directive& d) { r.config.scripts.ipchange = word(d, 0); }
void up_restart(Reading& r, const ovpn::Directive&) { r.config.scripts.up_restart = true; }
void down_pre(Reading& r, const ovpn::Directive&) { r.config.scripts.down_pre = true; }

void script_security(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, 3, r.config.scripts.security);
}

void setenv_any(Reading& r, const ovpn::Directive& d) {
  // `setenv opt …` and FORWARD_COMPATIBLE speak to the parser, not to scripts.
  if (word(d, 0) == "opt" || word(d, 0) == "FORWARD_COMPATIBLE") return;
  r.config.scripts.environment.emplace_back(word(d, 0), word(d, 1));
  // What the peer is told of this client (OpenVPN protocol: peer-info).
  auto& negotiation = r.tls.negotiation;
  const std::string name = word(d, 0);
  if (name == "PUSH_PEER_INFO") negotiation.push_peer_info = true;
  if (name == "SERVER_POLL_TIMEOUT") {
    number_into(r, d, 1, 1, 3600, r.connect_timeout_seconds);
  }
  if (name.starts_with("UV_") || name == "IV_GUI_VER" || name == "IV_SSO" ||
      name == "IV_PLAT_VER") {
    negotiation.peer_info.emplace_back(name, word(d, 1));
  }
}

void setenv_safe(Reading& r, const ovpn::Directive& d) {
  r.config.scripts.environment.emplace_back("OPENVPN_" + word(d, 0), word(d, 1));
}

constexpr ReadingRow kRows[] = {
    {"down", down},
    {"down-pre", down_pre},
    {"ipchange", ipchange},
    {"route-pre-down", route_pre_down},
    {"route-up", route_up},
    {"script-security", script_security},
    {"setenv", setenv_any},
    {"setenv-safe", setenv_safe},
    {"up", up},
    {"up-restart", up_restart},
};

}  // namespace

std::span<const ReadingRow> script_rows() { return kRows; }

}  // namespace config
