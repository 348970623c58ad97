// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/proxy_config.h"

#include "base/text.h"

namespace config {

std::optional<ProxyLogin> parse_proxy_login(const std::string& text) {
  const auto without_cr = [](std::string_view line) {
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  };
  const std::vector<std::string_view> lines = base::split(text, '\n');
  if (lines.size() < 2 || without_cr(lines[0]).empty()) return std::nullopt;
  return ProxyLogin{std::string(without_cr(lines[0])), std::string(without_cr(lines[1]))};
}

}  // namespace config
