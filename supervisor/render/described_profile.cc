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

constexpr int kUsualPort = 1194;

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
    if (path == "type" && site::is_client(tunnel_)) client();
    if (path == "remote") remotes();
    if (path == "dev") dev();
    if (path == "route") routes();
    if (path == "pull-filter") pull_filters();
    if (site::is_tls(tunnel_.mode)) return tls(path);
    const bool keyed = tunnel_.mode == site::Mode::kStaticKey;
    if (path == "secret" && keyed) add("secret", {tunnel_.secret});
    if (path == "cipher") add("cipher", {keyed ? tunnel_.cipher : "none"});
    if (path == "auth") add("auth", {keyed ? tunnel_.auth : "none"});
  }

  void tls(std::string_view path) {
    const bool client = site::is_client(tunnel_);
    if (path == "role" && !client) role();
    if (path == "cert") file(tunnel_.cert);
    if (path == "key") file(tunnel_.key);
    if (path == "peer-fingerprint") fingerprints();
    if (path == "tls-auth") file(tunnel_.tls_auth);
    if (path == "tls-crypt") file(tunnel_.tls_crypt);
    if (path == "tls-crypt-v2") file(tunnel_.tls_crypt_v2);
    if (path == "data-ciphers" && !tunnel_.data_ciphers.empty()) data_ciphers();
    // Without it both ends take what OpenVPN takes; the default of a static key is ours.
    if (path == "auth" && client && site_.places.contains("auth")) add("auth", {tunnel_.auth});
    if (tunnel_.mode == site::Mode::kPki) pki(path);
  }

  void file(const std::string& name) {
    if (!name.empty()) add(key_->directive, {name});
  }

  // A client's own port is any: the one that everybody's server has is not its to hold.
  void client() {
    add("client", {});
    if (!tunnel_.nobind && !tunnel_.lport && tunnel_.local.empty()) add("nobind", {});
  }

  // What is looked for may hold blanks, and is one word of the config.
  void pull_filters() {
    for (const std::string& text : tunnel_.pull_filter) {
      const auto words = base::split_words(text);
      if (words.size() < 2) continue;  // site_check has said so
      const auto at = static_cast<std::size_t>(words[1].data() - text.data());
      add("pull-filter", {std::string(words[0]), std::string(base::trim(text.substr(at)))});
    }
  }

  // OpenVPN before 2.6 insists on a word about dh.
  void role() {
    const bool server = site::is_tls_server(tunnel_);
    add(server ? "tls-server" : "tls-client", {});
    if (server) add("dh", {"none"});
  }

  void pki(std::string_view path) {
    if (path == "ca") add("ca", {tunnel_.ca});
    if (path == "remote-cert-tls") remote_cert_tls();
    if (path == "data-ciphers" && !site::is_client(tunnel_)) fallback();
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
      const bool with_proto = !remote->proto.empty();
      const auto port =
          with_proto && !remote->port ? tunnel_.port.value_or(kUsualPort) : remote->port;
      if (port) words.push_back(std::to_string(*port));
      if (with_proto) words.push_back(remote->proto);
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
