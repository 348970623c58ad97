// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/described_profile.h"

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "supervisor/site/address_words.h"
#include "supervisor/site/fingerprint.h"
#include "supervisor/site/site_keys.h"

namespace render {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  for (const std::string_view word : base::split_words(text)) words.emplace_back(word);
  return words;
}

class Describer {
 public:
  explicit Describer(const site::Site& site) : site_(site), tunnel_(*site.described) {}

  ovpn::Profile describe() {
    for (const site::SiteKey& key : site::site_keys()) {
      key_ = &key;
      if (key.emit == site::Emit::kSpecial) special(key.path);
      if (key.emit == site::Emit::kLine || key.emit == site::Emit::kEach) {
        std::visit([this](const auto& field) { plain(field); }, key.field);
      }
    }
    add("persist-tun", {});
    return std::move(profile_);
  }

 private:
  void add(std::string_view name, Words args) {
    profile_.directives.push_back(
        {std::string(name), std::move(args), std::nullopt, site_.place_of(key_->path)});
  }

  void plain(std::string site::Described::*field) {
    if (!(tunnel_.*field).empty()) add(key_->directive, words_of(tunnel_.*field));
  }
  void plain(std::optional<int> site::Described::*field) {
    if (tunnel_.*field) add(key_->directive, {std::to_string(*(tunnel_.*field))});
  }
  void plain(bool site::Described::*field) {
    if (tunnel_.*field) add(key_->directive, {});
  }
  void plain(std::vector<int> site::Described::*field) {
    Words words;
    for (const int number : tunnel_.*field) words.push_back(std::to_string(number));
    if (!words.empty()) add(key_->directive, std::move(words));
  }
  void plain(std::vector<std::string> site::Described::*field) {
    const auto& entries = tunnel_.*field;
    if (key_->emit == site::Emit::kLine && !entries.empty()) add(key_->directive, entries);
    if (key_->emit == site::Emit::kLine) return;
    for (const std::string& entry : entries) add(key_->directive, words_of(entry));
  }
  // Fields of other parts of a site are no lines. (The overloads above must match exactly: with a
  // const member type this one would be the better match and swallow them.)
  template <typename Other>
  void plain(const Other&) {}

  void special(std::string_view path) {
    if (path == "remote") remotes();
    if (path == "dev") dev();
    if (path == "route") routes();
    if (site::is_tls(tunnel_.mode)) return tls(path);
    const bool keyed = tunnel_.mode == site::Mode::kStaticKey;
    if (path == "secret" && keyed) add("secret", {tunnel_.secret});
    if (path == "cipher") add("cipher", {keyed ? tunnel_.cipher : "none"});
    if (path == "auth") add("auth", {keyed ? tunnel_.auth : "none"});
  }

  void tls(std::string_view path) {
    if (path == "role") role();
    if (path == "cert") add("cert", {tunnel_.cert});
    if (path == "key") add("key", {tunnel_.key});
    if (path == "peer-fingerprint") fingerprints();
    if (path == "data-ciphers" && !tunnel_.data_ciphers.empty()) data_ciphers();
    if (tunnel_.mode == site::Mode::kPki) pki(path);
  }

  // OpenVPN before 2.6 insists on a word about dh.
  void role() {
    const bool server = site::is_tls_server(tunnel_);
    add(server ? "tls-server" : "tls-client", {});
    if (server) add("dh", {"none"});
  }

  void pki(std::string_view path) {
    if (path == "ca") add("ca", {tunnel_.ca});
    if (path == "tls-auth" && !tunnel_.tls_auth.empty()) add("tls-auth", {tunnel_.tls_auth});
    if (path == "tls-crypt" && !tunnel_.tls_crypt.empty()) add("tls-crypt", {tunnel_.tls_crypt});
    if (path == "remote-cert-tls") remote_cert_tls();
    if (path == "data-ciphers") fallback();
  }

  void remote_cert_tls() {
    const std::string& said = tunnel_.remote_cert_tls;
    const char* other = site::is_tls_server(tunnel_) ? "client" : "server";
    if (said != "off") add("remote-cert-tls", {said.empty() ? other : said});
  }

  // OpenVPN 2.5 agrees with no equal on a cipher: it takes this one, and BF-CBC without.
  void fallback() {
    const auto* cipher = tunnel_.data_ciphers.empty()
                             ? ovpn::find_cipher("AES-256-GCM")
                             : ovpn::find_cipher(tunnel_.data_ciphers.front());
    if (cipher != nullptr) add("data-ciphers-fallback", {std::string(cipher->name)});
  }

  void fingerprints() {
    for (const std::string& text : tunnel_.peer_fingerprint) {
      const auto fingerprint = site::read_fingerprint(text);
      if (fingerprint) add("peer-fingerprint", {*fingerprint});  // site_check has said so
    }
  }

  void data_ciphers() {
    std::string list;
    for (const std::string& name : tunnel_.data_ciphers) {
      const auto* cipher = ovpn::find_cipher(name);
      if (cipher == nullptr) continue;
      list += (list.empty() ? "" : ":") + std::string(cipher->name);
    }
    add("data-ciphers", {list});
  }

  void remotes() {
    for (const std::string& text : tunnel_.remote) {
      const auto remote = site::parse_remote(text);
      if (!remote) continue;  // site_check has said so
      Words words{remote->host};
      if (remote->port) words.push_back(std::to_string(*remote->port));
      add("remote", std::move(words));
    }
  }

  // Without dev-type OpenVPN would guess the kind of an interface from the letters of its name.
  void dev() {
    add("dev", {tunnel_.dev.empty() ? site_.name : tunnel_.dev});
    if (tunnel_.dev != "null") add("dev-type", {"tun"});
  }

  void routes() {
    for (const std::string& text : tunnel_.route) {
      const auto route = site::parse_route(text, base::IpFamily::kIpv4);
      if (!route) continue;
      Words words{route->network.address.to_string(),
                  base::netmask_of_length(route->network.length).to_string()};
      if (!route->gateway.empty() || route->metric) {
        words.push_back(route->gateway.empty() ? "default" : route->gateway);
      }
      if (route->metric) words.push_back(std::to_string(*route->metric));
      add("route", std::move(words));
    }
  }

  const site::Site& site_;
  const site::Described& tunnel_;
  const site::SiteKey* key_ = nullptr;
  ovpn::Profile profile_;
};

}  // namespace

ovpn::Profile described_profile(const site::Site& site) { return Describer(site).describe(); }

}  // namespace render
