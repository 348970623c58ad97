// SPDX-License-Identifier: Apache-2.0
#include "ovpn/login_text.h"

#include "base/text.h"
#include "base/wipe.h"

namespace ovpn {

std::vector<std::string> first_lines(std::string_view text, std::size_t count) {
  std::vector<std::string> lines;
  for (std::string_view line : base::split(text, '\n')) {
    if (lines.size() == count) break;
    while (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

std::string login_error(std::string_view text, LoginKind kind) {
  const bool passphrase = kind == LoginKind::kPassphrase;
  const bool one = passphrase || kind == LoginKind::kServerUser;
  std::vector<std::string> lines = first_lines(text, one ? 1 : 2);
  lines.resize(one ? 1 : 2);
  std::string error;
  for (std::size_t at = 0; at < lines.size() && error.empty(); ++at) {
    const std::string name = passphrase ? "passphrase" : at == 0 ? "user name" : "password";
    const std::string& line = lines[at];
    const bool may_be_empty = at == 1 && kind == LoginKind::kProxy;
    if (line.empty() && !may_be_empty) {
      error = "there is no " + name + " on line " + std::to_string(at + 1);
    } else if (line.size() > kLoginLineBytesMax) {
      error = "the " + name + " is longer than OpenVPN takes";
    } else if (line.find('\0') != std::string::npos) {
      error = "the " + name + " is no text";
    }
  }
  for (std::string& line : lines) base::wipe(line);
  return error;
}

}  // namespace ovpn
