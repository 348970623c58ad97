// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "ovpn/lexer.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/value_errors.h"

namespace ovpn {
namespace {

// An OpenSSL with providers or engines of its own may know names that nobody else does.
bool has_foreign_algorithms(const Profile& profile) {
  if (profile.has("engine")) return true;
  for (const Directive* providers : profile.all("providers")) {
    for (const std::string& provider : providers->args) {
      if (provider != "legacy" && provider != "default") return true;
    }
  }
  return false;
}

template <typename Row>
std::string remedy_for(std::string_view name, std::span<const Row> table, std::string_view better) {
  std::vector<std::string_view> names;
  for (const Row& row : table) names.push_back(row.name);
  const auto near = base::nearest(name, names);
  if (near) return "did you mean '" + std::string(*near) + "'?";
  return "write for example '" + std::string(better) + "'";
}

void check_cipher(const Directive& directive, base::Problems& problems) {
  const std::string& name = directive.args[0];
  if (find_cipher(name) != nullptr || is_cipher_elsewhere(name)) return;
  problems.push_back({directive.place, "no OpenVPN knows a cipher '" + name + "'",
                      remedy_for(name, cipher_table(), "AES-256-CBC")});
}

void check_digest(const Directive& directive, base::Problems& problems) {
  const std::string& name = directive.args[0];
  if (find_digest(name) != nullptr || is_digest_elsewhere(name)) return;
  problems.push_back({directive.place, "no OpenVPN knows a digest '" + name + "'",
                      remedy_for(name, digest_table(), "SHA256")});
}

void check_port(const Directive& directive, std::size_t index, base::Problems& problems) {
  if (directive.args.size() <= index) return;
  const std::string& text = directive.args[index];
  // `lport 0` is how some configs ask for any free port while keeping `bind`.
  if (is_port(text) || (directive.name == "lport" && text == "0")) return;
  problems.push_back({directive.place, directive.name + ": '" + text + "' is no port",
                      "write a number from 1 to 65535"});
}

void check_ports(const Directive& directive, base::Problems& problems) {
  const std::string& name = directive.name;
  if (name == "port" || name == "lport" || name == "rport") check_port(directive, 0, problems);
  if (name == "remote") check_port(directive, 1, problems);
}

}  // namespace

bool is_port(std::string_view text) {
  const auto value = base::parse_number<std::int64_t>(text);
  if (value) return *value >= 1 && *value <= 65535;
  // A service's name has a letter in it, and begins with neither sign nor digit.
  return !text.empty() && text.find_first_of("0123456789-+") != 0;
}

void find_name_errors(const Profile& profile, base::Problems& problems) {
  const bool judged = !has_foreign_algorithms(profile);
  // With TLS `cipher` is one among those that both ends offer, and stock passes over it.
  const bool static_key = tunnel_mode(profile) == TunnelMode::kStaticKey;
  for (const Directive& directive : profile.directives) {
    if (problems.size() >= base::kProblemsMax) return;
    check_ports(directive, problems);
    if (directive.name == "connection") {
      for (const Directive& inner : lex_block(directive).profile.directives) {
        check_ports(inner, problems);
      }
    }
    if (!judged || directive.args.empty()) continue;
    if (directive.name == "cipher" && static_key) check_cipher(directive, problems);
    if (directive.name == "auth") check_digest(directive, problems);
  }
}

}  // namespace ovpn
