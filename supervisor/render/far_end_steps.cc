// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/far_end_steps.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "supervisor/site/address_words.h"

namespace render {
namespace {

// The keys of a site that `tunctl new` has an option for, and those that are this machine's own.
constexpr std::array<std::string_view, 20> kSayable{
    "type",      "mode",        "proto",           "port",           "remote",
    "dev",       "ifconfig",    "route",           "role",           "ca",
    "cert",      "key",         "remote-cert-tls", "data-ciphers",   "peer-fingerprint",
    "keepalive", "description", "local",           "far-end.remote", "far-end.route"};

bool is_sayable(std::string_view key) {
  return key.starts_with("run.") || key.starts_with("dns.") ||
         std::find(kSayable.begin(), kSayable.end(), key) != kSayable.end();
}

// keepalive is what `new` writes at both ends, and so is what a certificate must be made for.
bool sayable(const site::Site& site) {
  const std::string& wanted = site.described->remote_cert_tls;
  const std::string_view other = site::is_tls_server(*site.described) ? "client" : "server";
  if (!wanted.empty() && wanted != other) return false;
  const std::vector<int> usual{10, 60};
  return site.described->keepalive == usual && site.described->data_ciphers.size() < 2 &&
         site.described->ifconfig.size() == 2 &&
         std::all_of(site.places.begin(), site.places.end(),
                     [](const auto& entry) { return is_sayable(entry.first); });
}

// One word of a shell, in quotes where a shell would read more into it.
std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_./:,+@%").find(c) != std::string_view::npos;
  });
  if (plain && !word.empty()) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string with_port(const std::string& host, int port) {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

class FarCommand {
 public:
  FarCommand(const site::Site& site, const std::string& own_fingerprint)
      : site_(site), tunnel_(*site.described), fingerprint_(own_fingerprint) {}

  std::string text() {
    command_ = "tunctl new " + site_.name;
    if (tunnel_.mode == site::Mode::kPki) add("--mode", "pki");
    add("--role", site::is_tls_server(tunnel_) ? "client" : "server");
    add_link();
    add("--ifconfig", tunnel_.ifconfig[1]);
    command_ += " " + shell_word(tunnel_.ifconfig[0]);
    if (!tunnel_.dev.empty()) add("--dev", tunnel_.dev);
    for (const std::string& net : site_.far_end.route) add("--route", net);
    for (const std::string& net : tunnel_.route) add("--far-route", net);
    for (const std::string& cipher : tunnel_.data_ciphers) add("--cipher", cipher);
    if (tunnel_.mode == site::Mode::kFingerprint) add("--peer-fingerprint", fingerprint_);
    return command_;
  }

 private:
  void add(const char* option, const std::string& value) {
    command_ += std::string(" ") + option + " " + shell_word(value);
  }

  // That end binds what this one calls, and calls what this one binds.
  void add_link() {
    const int here = tunnel_.port.value_or(1194);
    int there = here;
    const auto called =
        tunnel_.remote.empty() ? std::nullopt : site::parse_remote(tunnel_.remote.front());
    if (called && called->port) there = *called->port;
    if (!site_.far_end.remote.empty()) {
      const auto back = site::parse_remote(site_.far_end.remote.front());
      const bool needs_port = back && !back->port && here != there;
      add("--remote", needs_port ? with_port(back->host, here) : site_.far_end.remote.front());
    } else if (tunnel_.remote.empty()) {
      add("--remote", here == there ? "THIS-HOST" : with_port("THIS-HOST", here));
    }
    if (called) add("--far-remote", called->host);
    add("--port", std::to_string(there));
  }

  const site::Site& site_;
  const site::Described& tunnel_;
  const std::string& fingerprint_;
  std::string command_;
};

// Whoever has the authority's key signs what that machine asks for.
std::string steps_of_authority(const site::Site& site) {
  const std::string& name = site.name;
  const std::string kind = site::is_tls_server(*site.described) ? "client" : "server";
  return "# That machine's key is made there and stays there; beside this file:\n"
         "#   openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=" +
         name + "-" + kind + " -keyout " + name + ".key -out " + name +
         ".csr\n"
         "# What is in " +
         name + ".csr the authority signs for a TLS " + kind +
         ", with easy-rsa (what comes of it is " + name +
         ".crt here):\n"
         "#   easyrsa import-req " +
         name + ".csr " + name + "-" + kind +
         "\n"
         "#   easyrsa sign-req " +
         kind + " " + name + "-" + kind + "\n";
}

}  // namespace

std::string far_end_command(const site::Site& site, const std::string& own_fingerprint) {
  if (!site.described || !sayable(site)) return "";
  return FarCommand(site, own_fingerprint).text();
}

std::string far_end_steps(const RenderInput& input) {
  if (!input.site.described) return "";
  const bool pki = input.site.described->mode == site::Mode::kPki;
  if (!pki && input.own_fingerprint.empty()) return "";
  const std::string& name = input.site.name;
  site::Site site = input.site;
  if (!input.remote.empty()) site.far_end.remote = input.remote;
  const std::string command = far_end_command(site, input.own_fingerprint);
  std::string text;
  if (!command.empty()) {
    text += "# Where tunctl is installed, this command takes the place of all below:\n#   " +
            command + "\n";
  }
  if (pki) return text + steps_of_authority(site);
  return text +
         "# That machine's key is made there and stays there. For stock OpenVPN 2.6 or later, "
         "beside this file:\n"
         "#   openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -sha256 -days "
         "36500 -subj /CN=" +
         name + " -keyout " + name + ".key -out " + name +
         ".crt\n"
         "#   openssl x509 -noout -fingerprint -sha256 -in " +
         name +
         ".crt\n"
         "# and on the near end, with what the second one printed:\n"
         "#   tunctl key trust " +
         name + " FINGERPRINT\n";
}

}  // namespace render
