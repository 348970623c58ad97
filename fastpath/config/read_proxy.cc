// SPDX-License-Identifier: Apache-2.0
// http-proxy, http-proxy-option, http-proxy-user-pass and socks-proxy.
#include <algorithm>
#include <string>

#include "fastpath/config/reading.h"

namespace config {
namespace {

using Lines = std::vector<ovpn::Directive>;

// A header that ends its line early would be a second one.
bool breaks_line(const std::string& text) {
  return text.find_first_of("\r\n") != std::string::npos;
}

void read_option(Reading& r, const ovpn::Directive& d, ProxyConfig& proxy) {
  const std::string name = word(d, 0), value = word(d, 1);
  if (breaks_line(value) || breaks_line(word(d, 2))) {
    return r.problem(d, "a line end inside of it", "write it on one line");
  }
  if (name == "VERSION") {
    proxy.version = value;
  } else if (name == "AGENT") {
    proxy.agent = value;
  } else if (name == "CUSTOM-HEADER") {
    // The whole header as one word is an old way to write it.
    const auto colon = value.find(':');
    if (d.args.size() > 2 || colon == std::string::npos) {
      proxy.headers.emplace_back(value, word(d, 2));
    } else {
      const auto text = value.find_first_not_of(' ', colon + 1);
      proxy.headers.emplace_back(value.substr(0, colon),
                                 text == std::string::npos ? "" : value.substr(text));
    }
  } else {
    r.problem(d, "'" + name + "' is no option", "write VERSION, AGENT or CUSTOM-HEADER");
  }
}

void read_options(Reading& r, const Lines& lines, ProxyConfig& proxy) {
  for (const ovpn::Directive& line : lines) {
    if (line.name == "http-proxy-option") read_option(r, line, proxy);
  }
}

// `http-proxy HOST PORT [FILE|auto|auto-nct] [METHOD]`, with http-proxy-user-pass beside it.
void read_login(Reading& r, const ovpn::Directive& d, const ovpn::Profile& profile,
                ProxyConfig& proxy) {
  using Login = ProxyConfig::Login;
  const std::string how = word(d, 2), method = d.args.size() > 3 ? word(d, 3) : "basic";
  const bool asked = how == "auto" || how == "auto-nct";
  if (method != "basic" && method != "none") {
    return r.problem(d, "'" + method + "' is no way to log in", "write basic, or auto for digest");
  }
  if (!how.empty() && !asked) {
    proxy.login_file = how;
    proxy.login = method == "none" ? Login::kNone : Login::kBasic;
    return;
  }
  const ovpn::Directive* pair = profile.last("http-proxy-user-pass");
  if (pair == nullptr) return;
  proxy.login_file = pair->body ? "[inline]" : word(*pair, 0);
  proxy.login_text = pair->body.value_or("");
  proxy.login = how == "auto-nct" ? Login::kDigestOnly : Login::kAuto;
}

const ovpn::Directive* last_proxy(const Lines& lines) {
  const ovpn::Directive* last = nullptr;
  for (const ovpn::Directive& line : lines) {
    if (line.name == "http-proxy" || line.name == "socks-proxy") last = &line;
  }
  return last;
}

}  // namespace

std::optional<ProxyConfig> read_proxy(Reading& r, const ovpn::Profile& profile,
                                      const Lines& block) {
  const ovpn::Directive* d = last_proxy(block);
  if (d == nullptr) d = last_proxy(profile.directives);
  if (d == nullptr) return std::nullopt;
  ProxyConfig proxy;
  proxy.host = word(*d, 0);
  proxy.port = word(*d, 1);
  if (d->name == "socks-proxy") {
    proxy.kind = ProxyConfig::Kind::kSocks;
    if (proxy.port.empty()) proxy.port = "1080";
    proxy.login_file = word(*d, 2);
  } else {
    read_options(r, profile.directives, proxy);
    read_options(r, block, proxy);
    read_login(r, *d, profile, proxy);
  }
  if (!port_ok(r, *d, proxy.port)) return std::nullopt;
  return proxy;
}

}  // namespace config
