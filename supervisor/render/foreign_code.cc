// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/foreign_code.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ovpn/directive_table.h"
#include "supervisor/render/file_directives.h"

namespace render {
namespace {

// What comes with OpenSSL itself (README-PROVIDERS of OpenSSL 3).
bool is_known_provider(std::string_view name) {
  constexpr std::array<std::string_view, 5> kKnown{"default", "legacy", "base", "fips", "null"};
  return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end();
}

// Variables that make the programs a script starts load or run something else (ld.so(8), bash(1),
// openssl-env(7)).
bool steers_programs(std::string_view variable) {
  constexpr std::array<std::string_view, 10> kSteering{
      "PATH",       "IFS",      "ENV",          "BASH_ENV",   "SHELLOPTS",
      "PYTHONPATH", "PERL5LIB", "OPENSSL_CONF", "GCONV_PATH", "OPENSSL_MODULES"};
  return variable.starts_with("LD_") || variable.starts_with("BASH_FUNC_") ||
         std::find(kSteering.begin(), kSteering.end(), variable) != kSteering.end();
}

std::string with_words(const ovpn::Directive& line) {
  std::string text = line.name;
  for (const std::string& word : line.args) text += " " + word;
  return text;
}

}  // namespace

std::string foreign_code(const ovpn::Directive& written) {
  const ovpn::Directive line = ovpn::unwrap_setenv_opt(written);
  if (line.args.empty()) return "";
  // 2.7: these stand for its own script, or for none.
  const bool own_script =
      line.name == "dns-updown" && (line.args[0] == "force" || line.args[0] == "disable");
  if (runs_program(line.name)) {
    return own_script ? "" : "the tunnel runs a program: " + line.name + " " + line.args[0];
  }
  if (line.name == "engine" || line.name == "pkcs11-providers") {
    return "the tunnel loads a library: " + with_words(line);
  }
  if (line.name == "providers" &&
      !std::all_of(line.args.begin(), line.args.end(), is_known_provider)) {
    return "the tunnel loads a library: " + with_words(line);
  }
  if (line.name == "setenv" && steers_programs(line.args[0])) {
    return "the tunnel's scripts get a variable that changes what they run: " + with_words(line);
  }
  return "";
}

std::string windows_file_name(std::string_view path) {
  const auto drive = static_cast<unsigned char>(path.empty() ? 0 : path[0] | 0x20);
  const bool has_drive = path.size() > 2 && drive >= 'a' && drive <= 'z' && path[1] == ':' &&
                         (path[2] == '\\' || path[2] == '/');
  if (!has_drive && path.find('\\') == std::string_view::npos) return "";
  return std::string(path.substr(path.find_last_of("\\/") + 1));
}

}  // namespace render
