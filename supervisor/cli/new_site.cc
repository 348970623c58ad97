// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/new_site.h"

#include <algorithm>
#include <string_view>

#include "base/ip.h"
#include "base/text.h"

namespace cli {
namespace {

constexpr int kFirstPort = 1194;
constexpr int kLastPort = 65535;
constexpr int kPairs = 256;

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

std::string list_of(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? ", " : "") + in_quotes(text);
  return list + "]";
}

// One line, or the same line commented out with an example in place of the value.
std::string line_or_example(std::string_view key, const std::string& value,
                            std::string_view example) {
  if (!value.empty()) return std::string(key) + " = " + value + "\n";
  return "# " + std::string(key) + " = " + std::string(example) + "\n";
}

std::string role_line(const NewSite& site) {
  return "role = " + in_quotes(site.role) + "      # the far end is the " +
         (site.role == "server" ? "client" : "server") + "\n";
}

std::string fingerprint_part(const NewSite& site) {
  const std::string list = site.peer_fingerprint.empty() ? "[]" : list_of({site.peer_fingerprint});
  return "# TLS: each end has a key of its own and knows the other's by its fingerprint.\n"
         "mode = \"fingerprint\"\n" +
         role_line(site) + "cert = " + in_quotes(kCertificateFile) +
         "     # below /etc/tunctl/keys/" + site.name + "\nkey = " + in_quotes(kKeyFile) +
         "\n# The far end's; `tunctl key trust " + site.name +
         " FINGERPRINT` writes it.\n"
         "peer-fingerprint = " +
         list + "\n" +
         line_or_example("data-ciphers", site.cipher.empty() ? "" : list_of({site.cipher}),
                         "[\"AES-256-GCM\"]");
}

// Keys of OpenVPN's that a server may ask for.
std::string server_part(const NewSite& site) {
  return line_or_example("verify-x509-name", "", "[\"vpn.example\", \"name\"]") +
         line_or_example("tls-auth", "", "\"ta.key\"         # with key-direction = 1") +
         line_or_example("tls-crypt", "", "\"tc.key\"") +
         line_or_example("tls-crypt-v2", "", "\"tc2.key\"") +
         line_or_example("data-ciphers", site.cipher.empty() ? "" : list_of({site.cipher}),
                         "[\"AES-256-GCM\"]") +
         line_or_example("auth", site.auth.empty() ? "" : in_quotes(site.auth),
                         "\"SHA512\"         # of tls-auth, and of a server without GCM");
}

std::string client_identity_part(const NewSite& site) {
  const std::string sign = site.auth_user_pass ? "# " : "";
  return sign + "cert = " + in_quotes(kCertificateFile) + "     # this client's own, and\n" + sign +
         "key = " + in_quotes(kKeyFile) + "      # its private key\n" +
         (site.auth_user_pass ? "" : "# ") + "auth-user-pass = true   # `tunctl credentials " +
         site.name + "` asks for name and password\n";
}

std::string client_crypto_part(const NewSite& site) {
  const std::string where = "     # below /etc/tunctl/keys/" + site.name + ", as all of these\n";
  if (site.mode == "fingerprint") {
    return "# TLS: the server is known by its certificate's fingerprint.\n"
           "mode = \"fingerprint\"\n"
           "# `tunctl key trust " +
           site.name + " FINGERPRINT` writes it.\npeer-fingerprint = " +
           (site.peer_fingerprint.empty() ? "[]" : list_of({site.peer_fingerprint})) + "\n" +
           "# Files below /etc/tunctl/keys/" + site.name + ".\n" + client_identity_part(site) +
           server_part(site);
  }
  return "# TLS: an authority signed the server's certificate.\n"
         "mode = \"pki\"\n"
         "ca = " +
         in_quotes(kAuthorityFile) + where + client_identity_part(site) +
         "remote-cert-tls = \"server\"\n" + server_part(site);
}

// Addresses, most routes and name servers come from the server.
std::string client_text(const NewSite& site) {
  std::string text = "# Site " + site.name +
                     ": one tunnel, to a server that says what else there is to it.\n"
                     "# All keys: tunctl.site(5).\n\n";
  text += line_or_example("description", "", "\"The office\"");
  text +=
      "type = \"client\"\n# Several are tried in turn; \"host:443 tcp\" says port and protocol.\n";
  text += "remote = " + list_of(site.remote) + "\n";
  text += line_or_example("port", site.port == 0 ? "" : std::to_string(site.port), "1194");
  text += "\n# The interface is called as the site unless dev names it.\n";
  text += line_or_example("dev", site.dev.empty() ? "" : in_quotes(site.dev), "\"tun3\"");
  text += "# Networks behind the server, beside those that it sends.\n";
  text += line_or_example("route", site.route.empty() ? "" : list_of(site.route),
                          "[\"192.168.40.0/24\"]");
  text += line_or_example("redirect-gateway", "", "[\"def1\"]   # everything goes through it");
  text += "\n" + client_crypto_part(site);
  text += "\n[run]\n";
  text += line_or_example("engine", site.engine.empty() ? "" : in_quotes(site.engine), "\"auto\"");
  text += line_or_example("cpus", site.cpus.empty() ? "" : in_quotes(site.cpus), "\"auto\"");
  return text;
}

// With the authority's own certificate it signs both ends; each has a key of its own.
std::string pki_part(const NewSite& site) {
  const bool server = site.role == "server";
  return "# TLS: an authority (easy-rsa, your own CA) signed the certificate of each end.\n"
         "mode = \"pki\"\n" +
         role_line(site) + "ca = " + in_quotes(kAuthorityFile) +
         "        # below /etc/tunctl/keys/" + site.name +
         "\ncert = " + in_quotes(kCertificateFile) + "\nkey = " + in_quotes(kKeyFile) +
         "\nremote-cert-tls = " + in_quotes(server ? "client" : "server") + "\n" +
         line_or_example("verify-x509-name", "", "[\"gw-b\", \"name\"]") +
         line_or_example("tls-crypt", "", "\"tc.key\"") +
         line_or_example("data-ciphers", site.cipher.empty() ? "" : list_of({site.cipher}),
                         "[\"AES-256-GCM\"]");
}

std::string crypto_part(const NewSite& site) {
  if (site.mode == "pki") return pki_part(site);
  if (site.mode == "fingerprint") return fingerprint_part(site);
  if (site.mode == "none") {
    std::string text =
        "mode = \"none\"          # clear text: everyone on the way reads and changes\n";
    if (site.remote.empty()) text += "acknowledge-cleartext = true\n";
    return text;
  }
  const bool clear = base::equals_ignoring_case(site.cipher, "none") &&
                     base::equals_ignoring_case(site.auth, "none");
  return std::string(clear && site.remote.empty() ? "acknowledge-cleartext = true\n" : "") +
         "mode = \"static-key\"\n"
         "secret = " +
         in_quotes(site.name + ".key") + "      # below /etc/tunctl/keys/" + site.name +
         "\n"
         "key-direction = 0      # the far end has 1\n"
         "cipher = " +
         in_quotes(site.cipher.empty() ? "AES-256-CBC" : site.cipher) +
         "\n"
         "auth = " +
         in_quotes(site.auth.empty() ? "SHA256" : site.auth) + "\n";
}

}  // namespace

std::string new_site_text(const NewSite& site) {
  if (site.type == site::Type::kClient) return client_text(site);
  std::string text = "# Site " + site.name + ": one tunnel. All keys: tunctl.site(5).\n";
  text += site.mode == "fingerprint" || site.mode == "pki"
              ? "# What to do at the far end: tunctl render "
              : "# The far end's file: tunctl render ";
  text += site.name + " --far-end\n\n";
  text += line_or_example("description", "", "\"Home - workshop\"");
  text += "type = \"p2p\"\nproto = \"udp\"\nport = " + std::to_string(site.port) +
          "            # both ends bind it\n";
  if (site.remote.empty()) text += "# Without remote this end waits to be called.\n";
  text += line_or_example("remote", site.remote.empty() ? "" : list_of(site.remote),
                          "[\"gw-b.example\"]");
  text += "\n# The interface is called as the site unless dev names it.\n";
  text += line_or_example("dev", site.dev.empty() ? "" : in_quotes(site.dev), "\"tun3\"");
  text += "ifconfig = " + list_of({site.here, site.there}) + "    # here, there\n";
  text += "# Networks behind the far end.\n";
  text += line_or_example("route", site.route.empty() ? "" : list_of(site.route),
                          "[\"192.168.40.0/24\"]");
  text += "\n" + crypto_part(site);
  text +=
      "\nkeepalive = [10, 60]   # a ping every 10 s; after 60 s of silence the link is tried "
      "anew\n";
  text += "\n[run]\n";
  text += line_or_example("engine", site.engine.empty() ? "" : in_quotes(site.engine), "\"auto\"");
  text += line_or_example("cpus", site.cpus.empty() ? "" : in_quotes(site.cpus), "\"auto\"");
  text += "\n[far-end]\n# How the far end reaches this machine; without it the far end waits.\n";
  text += line_or_example("remote", site.far_remote.empty() ? "" : list_of({site.far_remote}),
                          "[\"gw-a.example\"]");
  text += line_or_example("route", site.far_route.empty() ? "" : list_of(site.far_route),
                          "[\"192.168.10.0/24\"]");
  return text;
}

int free_port(std::span<const site::Footprint> others) {
  int port = kFirstPort;
  const auto taken = [&port](const site::Footprint& other) { return other.port == port; };
  while (port < kLastPort && std::any_of(others.begin(), others.end(), taken)) ++port;
  return port;
}

std::optional<std::pair<std::string, std::string>> free_pair(
    std::span<const site::Footprint> others) {
  for (int number = 0; number < kPairs; ++number) {
    const std::string net = "10.8." + std::to_string(number) + ".";
    const base::Prefix wanted = *base::Prefix::parse(net + "0/24");
    const auto overlaps = [&wanted](const auto& entry) { return entry.first.overlaps(wanted); };
    const bool taken = std::any_of(others.begin(), others.end(), [&](const site::Footprint& other) {
      return std::any_of(other.addresses.begin(), other.addresses.end(), overlaps) ||
             std::any_of(other.routes.begin(), other.routes.end(), overlaps);
    });
    if (!taken) return std::pair(net + "1", net + "2");
  }
  return std::nullopt;
}

}  // namespace cli
