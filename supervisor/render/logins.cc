// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/logins.h"

#include <utility>

#include "ovpn/lexer.h"
#include "supervisor/render/file_directives.h"
#include "supervisor/render/kept_config.h"

namespace render {
namespace {

using ovpn::LoginKind;

constexpr std::string_view kUserPass = "auth-user-pass", kPassphrase = "askpass",
                           kHttpProxy = "http-proxy-user-pass", kSocksProxy = "socks-proxy";
constexpr std::size_t kProxyLogin = 2;  // `http-proxy HOST PORT LOGIN`

std::string_view word(const ovpn::Directive& line, std::size_t index) {
  return index < line.args.size() ? std::string_view(line.args[index]) : std::string_view();
}

bool has_key(const ovpn::Profile& profile) { return profile.has("key") || profile.has("pkcs12"); }

void add_user_pass(const ovpn::Profile& profile, std::vector<Login>& logins) {
  const ovpn::Directive* line = profile.last(kUserPass);
  if (line == nullptr || line->body) return;
  const bool user_only = word(*line, 0) == "username-only";
  logins.push_back(
      {kUserPass, user_only ? LoginKind::kServerUser : LoginKind::kServer, false, line});
}

void add_passphrase(const ovpn::Profile& profile, std::vector<Login>& logins) {
  const ovpn::Directive* line = profile.last(kPassphrase);
  if (line == nullptr && !has_key(profile)) return;
  logins.push_back({kPassphrase, LoginKind::kPassphrase, line == nullptr, line});
}

void add_proxies(const ovpn::Profile& profile, std::vector<Login>& logins) {
  const ovpn::Directive* http = profile.last("http-proxy");
  const ovpn::Directive* pair = profile.last(kHttpProxy);
  const std::string_view way = http == nullptr ? "" : word(*http, kProxyLogin);
  const bool asked = way == "auto" || way == "auto-nct";
  if (asked && pair != nullptr) {
    if (!pair->body) logins.push_back({kHttpProxy, LoginKind::kProxy, false, pair});
  } else if (!way.empty()) {
    logins.push_back({kHttpProxy, LoginKind::kProxy, asked, http});
  }
  const ovpn::Directive* socks = profile.last("socks-proxy");
  if (socks == nullptr || word(*socks, kProxyLogin).empty()) return;
  logins.push_back({kSocksProxy, LoginKind::kProxy, false, socks});
}

bool is_encrypted(std::string_view pem) {
  return pem.find("BEGIN ENCRYPTED PRIVATE KEY") != std::string_view::npos ||
         pem.find("Proc-Type: 4,ENCRYPTED") != std::string_view::npos;
}

}  // namespace

std::vector<Login> wanted_logins(const ovpn::Profile& profile) {
  std::vector<Login> logins;
  add_user_pass(profile, logins);
  add_passphrase(profile, logins);
  add_proxies(profile, logins);
  return logins;
}

std::vector<ovpn::Directive> login_lines(const Login& login, const std::string& path) {
  if (login.line == nullptr) return {{std::string(login.name), {path}, std::nullopt, {}}};
  ovpn::Directive line = *login.line;
  const FileDirective* row = find_file_directive(line.name);
  if (row->word == 0) {
    line.args = {path};
    return {std::move(line)};
  }
  if (!login.optional) {
    line.args[row->word] = path;
    return {std::move(line)};
  }
  ovpn::Directive pair{std::string(login.name), {path}, std::nullopt, line.place};
  return {std::move(line), std::move(pair)};
}

std::optional<std::string> login_path(const Login& login, const RenderInput& input,
                                      OutputFolder& out) {
  const std::string name(login.name);
  const auto bytes = input.logins.find(name);
  if (bytes != input.logins.end()) return out.add(name, bytes->second, true);
  const std::string held = site::credential_path(input.site.name, input.site.credentials.of(name));
  if (!held.empty()) return held;
  if (!input.for_unit || login.optional) return std::nullopt;
  return input.folder + "/" + name;
}

ovpn::Profile with_logins(const ovpn::Profile& profile) {
  std::vector<Edit> edits;
  for (const Login& login : wanted_logins(profile)) {
    if (login.optional) continue;
    edits.push_back({login.line, login_lines(login, std::string(login.name))});
  }
  return apply_edits(profile, edits, {});
}

base::Problems logins_in_blocks(const ovpn::Profile& profile) {
  base::Problems problems;
  for (const ovpn::Directive& block : profile.directives) {
    if (block.name != "connection" || !block.body) continue;
    for (const ovpn::Directive& line : ovpn::lex_block(block).profile.directives) {
      const FileDirective* row = find_file_directive(line.name);
      if (row == nullptr || row->word != kProxyLogin || line.args.size() <= kProxyLogin) continue;
      problems.push_back({line.place, line.name + ": a login inside of <connection>",
                          "write this line above the blocks, and none in them"});
    }
  }
  return problems;
}

std::string missing_words(const FileNeed& login) {
  const char* what = login.kind == LoginKind::kPassphrase   ? "the private key's passphrase"
                     : login.kind == LoginKind::kServerUser ? "the user name"
                                                            : "the user name and the password";
  const std::string file = login.written.empty() ? "" : ", and there is no " + login.written;
  return login.login + ": nobody has given " + what + file;
}

KeyState key_state(const ovpn::Profile& profile, const std::map<std::string, std::string>& files) {
  if (profile.has("pkcs12")) return KeyState::kMayBeEncrypted;
  const ovpn::Directive* key = profile.last("key");
  if (key == nullptr) return KeyState::kOpen;
  if (key->body) return is_encrypted(*key->body) ? KeyState::kEncrypted : KeyState::kOpen;
  const auto file = files.find(std::string(word(*key, 0)));
  const bool encrypted = file != files.end() && is_encrypted(file->second);
  return encrypted ? KeyState::kEncrypted : KeyState::kOpen;
}

}  // namespace render
