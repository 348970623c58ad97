// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/site.h"

#include "supervisor/site/paths.h"

#include <algorithm>
#include <array>

namespace site {
namespace {

constexpr std::size_t kNameCharsMax = 15;  // IFNAMSIZ, less the terminating zero

bool is_first(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_later(char c) { return is_first(c) || c == '_' || c == '-'; }

// As an interface's name these mean something else to OpenVPN or to the kernel (/proc/sys/net/…).
constexpr std::array<std::string_view, 6> kTaken{"all", "default", "lo", "null", "tap", "tun"};

}  // namespace

bool is_taken_name(std::string_view name) {
  return std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end();
}

std::string no_site_name(std::string_view name) {
  const std::string text = "'" + std::string(name) + "' is no name for a site; ";
  if (is_taken_name(name)) {
    return text +
           "the interface is called as the site, and as an interface it has a meaning of "
           "its own; choose another";
  }
  return text + "a name is 1 to 15 of a-z, 0-9, _ and -, and begins with a letter or digit";
}

bool is_site_name(std::string_view name) {
  return !name.empty() && !is_taken_name(name) && name.size() <= kNameCharsMax &&
         is_first(name.front()) && std::all_of(name.begin(), name.end(), is_later);
}

bool is_cpus_word(std::string_view text) {
  return text == "auto" || text == "big" || text == "little" || text == "not-irq";
}

bool is_tls_server(const Described& tunnel) {
  if (is_client(tunnel)) return false;
  return tunnel.role.empty() ? tunnel.remote.empty() : tunnel.role == "server";
}

base::Place Site::place_of(std::string_view key) const {
  const auto found = places.find(key);
  return found == places.end() ? base::Place{file, 0, 0} : found->second;
}

std::string Credentials::of(std::string_view login) const {
  if (login == "auth-user-pass") return auth_user_pass;
  if (login == "askpass") return askpass;
  if (login == "http-proxy-user-pass") return http_proxy_user_pass;
  return login == "socks-proxy" ? socks_proxy : std::string();
}

std::string credential_path(std::string_view site, std::string_view value) {
  if (!value.starts_with(kCredential)) return {};
  value.remove_prefix(kCredential.size());
  return "/run/credentials/" + unit_of(site) + "/" + std::string(value);
}

std::string key_with_credential(const Site& site) {
  if (site.described && site.described->secret.starts_with(kCredential)) return "secret";
  for (const char* login : {"auth-user-pass", "askpass", "http-proxy-user-pass", "socks-proxy"}) {
    if (site.credentials.of(login).starts_with(kCredential)) {
      return "credentials." + std::string(login);
    }
  }
  return {};
}

}  // namespace site
