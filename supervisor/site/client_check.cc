// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/client_check.h"

#include <string>
#include <string_view>

#include "base/text.h"

namespace site {
namespace {

constexpr std::string_view kOfClients[] = {"auth-user-pass", "tls-crypt-v2", "redirect-gateway",
                                           "route-nopull", "pull-filter"};
constexpr std::string_view kOfEquals[] = {"role", "ifconfig", "ifconfig-ipv6"};
constexpr std::string_view kOfFarEnds[] = {"far-end.remote", "far-end.route", "far-end.route-ipv6",
                                           "far-end.dev"};

void refuse_keys_of_clients(Checker& out, const Described& tunnel) {
  for (const std::string_view key : kOfClients) {
    if (!out.written(key)) continue;
    out.problem(key, in_quotes(key) + " is of a client, which joins a server",
                "take it out, or write type = \"client\"");
  }
  if (tunnel.proto.starts_with("tcp")) {
    out.problem("proto", "a tunnel of type p2p goes over UDP",
                "write proto = \"udp\", or keep an OpenVPN config: config = \"FILE\"");
  }
}

void refuse_keys_of_equals(Checker& out) {
  for (const std::string_view key : kOfEquals) {
    if (!out.written(key)) continue;
    out.problem(key, in_quotes(key) + " is what the server says to its clients",
                "take it out, or write type = \"p2p\"");
  }
  for (const std::string_view key : kOfFarEnds) {
    if (!out.written(key)) continue;
    out.problem(key, "the far end of a client is a server, whose config nobody derives from this",
                "take it out");
  }
}

// One of a certificate with its key, and a user name with its password; some servers want both.
void check_who_it_is(Checker& out, const Described& tunnel) {
  if (tunnel.cert.empty() != tunnel.key.empty()) {
    const std::string_view there = tunnel.cert.empty() ? "key" : "cert";
    out.problem(there, "'cert' and 'key' go together",
                "write cert = \"tls.crt\" and key = \"tls.key\"");
  } else if (tunnel.cert.empty() && !tunnel.auth_user_pass) {
    out.problem("type", "nothing says to the server who this client is",
                "write cert = \"tls.crt\" and key = \"tls.key\", or auth-user-pass = true");
  }
}

void check_pushed(Checker& out, const Described& tunnel) {
  for (const std::string& text : tunnel.pull_filter) {
    const auto words = base::split_words(text);
    const bool known =
        words.size() > 1 && (words[0] == "accept" || words[0] == "ignore" || words[0] == "reject");
    if (known) continue;
    out.problem("pull-filter", in_quotes(text) + " does not say what becomes of which options",
                "write \"ignore dhcp-option\"; accept and reject are the other words");
  }
  if (out.written("redirect-gateway") && tunnel.redirect_gateway.empty()) {
    out.problem("redirect-gateway", "'redirect-gateway' is an empty list",
                "write redirect-gateway = [\"def1\"]");
  }
}

}  // namespace

bool check_type(Checker& out, const Site& site, const Described& tunnel) {
  if (!is_client(tunnel)) {
    refuse_keys_of_clients(out, tunnel);
    return true;
  }
  refuse_keys_of_equals(out);
  if (tunnel.remote.empty()) {
    out.problem("type", "a client needs a server to call",
                "write remote = [\"" + site.name + ".example\"]");
  }
  check_who_it_is(out, tunnel);
  check_pushed(out, tunnel);
  if (!is_tls(tunnel.mode)) {
    out.problem("mode", "a server and its clients speak TLS: a client has mode pki or fingerprint",
                "write mode = \"pki\", or type = \"p2p\"");
    return false;
  }
  if (tunnel.mode == Mode::kPki && tunnel.ca.empty()) {
    out.problem("type", "a client needs to know who signed its server's certificate",
                "write ca = \"ca.crt\", or mode = \"fingerprint\" and peer-fingerprint");
  }
  return true;
}

}  // namespace site
