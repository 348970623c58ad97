// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace config {

// The proxy that a TCP connection goes through (http-proxy, socks-proxy), as plain values.
struct ProxyConfig {
  enum class Kind { kHttp, kSocks };
  // How a name and password are shown to an HTTP proxy. kBasic: unasked. kAuto: as it asks for
  // them. kDigestOnly: likewise, but never in the clear (auto-nct).
  enum class Login { kNone, kBasic, kAuto, kDigestOnly };

  Kind kind = Kind::kHttp;
  std::string host;  // name or address
  std::string port;  // a number
  Login login = Login::kNone;
  std::string login_file;  // "[inline]", or the path as written; empty: no name and password
  std::string login_text;  // its content, two lines: written inline, or filled in by the loader
  // http-proxy-option.
  std::string version = "1.0";
  std::string agent;
  std::vector<std::pair<std::string, std::string>> headers;

  friend bool operator==(const ProxyConfig&, const ProxyConfig&) = default;
};

// The name and password of a login text: its first two lines. Nothing if one is missing.
struct ProxyLogin {
  std::string username, password;
};
std::optional<ProxyLogin> parse_proxy_login(const std::string& text);

}  // namespace config
