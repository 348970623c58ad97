// SPDX-License-Identifier: Apache-2.0
// Each rule was put before OpenVPN 2.6.14, which refuses the same.
#include "ovpn/native_support.h"

#include <initializer_list>
#include "ovpn/tunnel_kind.h"

namespace ovpn {
namespace {

class TlsErrors {
 public:
  explicit TlsErrors(const Profile& profile) : profile_(profile) {}

  base::Problems run() {
    check_authority();
    if (problems_.empty()) check_certificate();
    check_wrapping();
    return std::move(problems_);
  }

 private:
  void check_authority();
  void check_certificate();
  void check_wrapping();

  void add(const Directive* at, std::string message, std::string remedy) {
    problems_.push_back(
        {at != nullptr ? at->place : base::Place{}, std::move(message), std::move(remedy)});
  }
  bool has_any(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
      if (profile_.has(name)) return true;
    }
    return false;
  }

  const Profile& profile_;
  base::Problems problems_;
};

void TlsErrors::check_authority() {
  if (!has_any({"client", "tls-client", "tls-server"})) {
    add(tls_directive(profile_), "'pull' without a role in TLS", "write `client` instead");
    return;
  }
  if (has_any({"ca", "capath", "pkcs12", "peer-fingerprint"})) return;
  add(tls_directive(profile_), "nothing says which certificates of the peer are good",
      "add `ca FILE` or a <ca> block, or `peer-fingerprint`");
}

void TlsErrors::check_certificate() {
  if (profile_.has("pkcs12")) {
    for (const std::string_view name : {"cert", "key", "capath"}) {
      if (!profile_.has(name)) continue;
      add(profile_.last(name), "'" + std::string(name) + "' and 'pkcs12' exclude each other",
          "keep one of them");
    }
    return;
  }
  const bool cert = has_any({"cert", "management-external-cert"});
  const bool key = has_any({"key", "management-external-key"});
  if (has_any({"pkcs11-id", "pkcs11-id-management", "pkcs11-providers", "cryptoapicert"})) return;
  if (cert != key) {
    add(profile_.last(cert ? "cert" : "key"),
        std::string(cert ? "'cert' without 'key'" : "'key' without 'cert'"),
        std::string("add `") + (cert ? "key" : "cert") + " FILE`");
    return;
  }
  if (cert) return;
  const bool password = profile_.has("auth-user-pass") && has_any({"client", "pull"});
  if (password) return;
  add(tls_directive(profile_), "nothing says who this end is",
      "add `cert FILE` and `key FILE`, or `auth-user-pass`");
}

void TlsErrors::check_wrapping() {
  const Directive* first = nullptr;
  for (const std::string_view name : {"tls-auth", "tls-crypt", "tls-crypt-v2"}) {
    const Directive* next = profile_.last(name);
    if (next == nullptr) continue;
    if (first != nullptr) {
      add(next, "'" + next->name + "' and '" + first->name + "' exclude each other",
          "keep the one that the server has");
      return;
    }
    first = next;
  }
}

}  // namespace

base::Problems tls_errors(const Profile& profile) {
  // Server mode has rules of its own, and a file still to be included may hold what is missing.
  const bool server = profile.has("server") || profile.has("server-bridge") ||
                      profile.has("server-ipv6") || profile.arg("mode") == "server";
  if (server || profile.has("config")) return {};
  return TlsErrors(profile).run();
}

}  // namespace ovpn
