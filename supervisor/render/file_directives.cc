// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/file_directives.h"

#include <algorithm>
#include <array>

namespace render {
namespace {

using enum FileUse;

constexpr std::array kTable{
    FileDirective{"askpass", kRead, true, 0, "askpass"},
    FileDirective{"auth-gen-token-secret", kRead, true},
    FileDirective{"auth-user-pass", kRead, true, 0, "auth-user-pass"},
    FileDirective{"auth-user-pass-verify", kPlace, false},
    FileDirective{"ca", kRead, false},
    FileDirective{"capath", kPlace, false},
    FileDirective{"cert", kRead, false},
    FileDirective{"client-config-dir", kPlace, false},
    FileDirective{"client-connect", kPlace, false},
    FileDirective{"client-disconnect", kPlace, false},
    FileDirective{"crl-verify", kRead, false},
    FileDirective{"dh", kRead, false},
    FileDirective{"down", kPlace, false},
    FileDirective{"extra-certs", kRead, false},
    FileDirective{"http-proxy", kRead, true, 2, "http-proxy-user-pass"},
    FileDirective{"http-proxy-user-pass", kRead, true, 0, "http-proxy-user-pass"},
    FileDirective{"ifconfig-pool-persist", kWritten, false},
    FileDirective{"ipchange", kPlace, false},
    FileDirective{"key", kRead, true},
    FileDirective{"learn-address", kPlace, false},
    FileDirective{"pkcs12", kRead, true},
    FileDirective{"plugin", kPlace, false},
    FileDirective{"replay-persist", kWritten, false},
    FileDirective{"route-pre-down", kPlace, false},
    FileDirective{"route-up", kPlace, false},
    FileDirective{"secret", kRead, true},
    FileDirective{"socks-proxy", kRead, true, 2, "socks-proxy"},
    FileDirective{"status", kWritten, false},
    FileDirective{"tls-auth", kRead, true},
    FileDirective{"tls-crypt", kRead, true},
    FileDirective{"tls-crypt-v2", kRead, true},
    FileDirective{"tls-crypt-v2-verify", kPlace, false},
    FileDirective{"tls-verify", kPlace, false},
    FileDirective{"tmp-dir", kPlace, false},
    FileDirective{"up", kPlace, false},
};

// Ways to come by a user name and password that are no file.
bool is_login_word(std::string_view word) {
  return word == "stdin" || word == "auto" || word == "auto-nct" || word == "username-only";
}

}  // namespace

std::span<const FileDirective> file_directives() { return kTable; }

const FileDirective* find_file_directive(std::string_view name) {
  const auto found = std::find_if(kTable.begin(), kTable.end(),
                                  [name](const FileDirective& row) { return row.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

const std::string* file_word(const FileDirective& row, const ovpn::Directive& line) {
  if (line.body || line.args.size() <= row.word) return nullptr;
  const std::string& word = line.args[row.word];
  const bool is_word =
      (line.name == "dh" && word == "none") || (!row.login.empty() && is_login_word(word));
  return is_word ? nullptr : &word;
}

bool runs_program(std::string_view directive) {
  constexpr std::array<std::string_view, 15> kPrograms{"auth-user-pass-verify",
                                                       "client-connect",
                                                       "client-crresponse",
                                                       "client-disconnect",
                                                       "dns-updown",
                                                       "down",
                                                       "ipchange",
                                                       "iproute",
                                                       "learn-address",
                                                       "plugin",
                                                       "route-pre-down",
                                                       "route-up",
                                                       "tls-crypt-v2-verify",
                                                       "tls-verify",
                                                       "up"};
  return std::find(kPrograms.begin(), kPrograms.end(), directive) != kPrograms.end();
}

}  // namespace render
