// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/mode_check.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "supervisor/site/client_check.h"
#include "supervisor/site/fingerprint.h"
#include "supervisor/site/site_keys.h"

namespace site {
namespace {

void check_cipher(Checker& out, const Described& tunnel) {
  const auto* cipher = ovpn::find_cipher(tunnel.cipher);
  if (cipher == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : ovpn::cipher_table()) names.push_back(row.name);
    const auto near = base::nearest(tunnel.cipher, names);
    out.problem("cipher", "no cipher is called " + in_quotes(tunnel.cipher),
                near ? "did you mean " + std::string(*near) + "?" : "write \"AES-256-CBC\"");
  } else if (cipher->mode != ovpn::CipherMode::kCbc && !cipher->is_none()) {
    out.problem("cipher", std::string(cipher->name) + " does not work with a static key",
                "static keys take CBC ciphers: write \"AES-256-CBC\"");
  } else if (cipher->is_none()) {
    out.warning("cipher", "cipher none: everyone on the way can read what goes through",
                "write \"AES-256-CBC\"");
  } else if (cipher->small_block()) {
    out.warning("cipher",
                std::string(cipher->name) + " has a 64-bit block and leaks long transfers",
                "write \"AES-256-CBC\" at both ends");
  }
}

void check_digest(Checker& out, const Described& tunnel) {
  const auto* digest = ovpn::find_digest(tunnel.auth);
  if (digest == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& row : ovpn::digest_table()) names.push_back(row.name);
    const auto near = base::nearest(tunnel.auth, names);
    out.problem("auth", "no digest is called " + in_quotes(tunnel.auth),
                near ? "did you mean " + std::string(*near) + "?" : "write \"SHA256\"");
  } else if (digest->is_none()) {
    out.warning("auth", "auth none: anyone can put packets into this tunnel", "write \"SHA256\"");
  }
}

// In clear text only the far end's address tells friend from foe.
void check_listener(Checker& out, const Site& site, const Described& tunnel, std::string_view key,
                    const std::string& what) {
  if (!tunnel.remote.empty() || site.acknowledge_cleartext) return;
  out.problem(key, what + " without a remote takes packets from anyone, in clear text",
              "write remote, or acknowledge-cleartext = true");
}

struct KeyOfMode {
  std::string_view key;
  Mode mode;
  std::optional<Mode> other = std::nullopt;
};

constexpr KeyOfMode kKeysOfModes[] = {
    {"secret", Mode::kStaticKey},
    {"key-direction", Mode::kStaticKey, Mode::kPki},
    {"cipher", Mode::kStaticKey},
    {"auth", Mode::kStaticKey},
    {"role", Mode::kFingerprint, Mode::kPki},
    {"cert", Mode::kFingerprint, Mode::kPki},
    {"key", Mode::kFingerprint, Mode::kPki},
    {"data-ciphers", Mode::kFingerprint, Mode::kPki},
    {"peer-fingerprint", Mode::kFingerprint},
    {"ca", Mode::kPki},
    {"remote-cert-tls", Mode::kPki},
    {"verify-x509-name", Mode::kPki},
    {"tls-auth", Mode::kPki},
    {"tls-crypt", Mode::kPki},
};

// A client says these in either of its modes, as its server does: `auth` is the digest of tls-auth.
constexpr std::string_view kOfAnyClient[] = {"auth", "key-direction", "tls-auth", "tls-crypt"};

bool has_meaning(const KeyOfMode& row, const Described& tunnel) {
  if (row.mode == tunnel.mode || row.other == tunnel.mode) return true;
  return is_client(tunnel) && std::find(std::begin(kOfAnyClient), std::end(kOfAnyClient),
                                        row.key) != std::end(kOfAnyClient);
}

// Who writes a cipher means it: the remedy names the key that does it here.
void check_keys_of_other_modes(Checker& out, const Described& tunnel) {
  for (const KeyOfMode& row : kKeysOfModes) {
    if (has_meaning(row, tunnel) || !out.written(row.key)) continue;
    const bool cipher = row.key == "cipher" && is_tls(tunnel.mode);
    const bool no_mode_of_it = is_client(tunnel) && !is_tls(row.mode);
    out.problem(
        row.key,
        in_quotes(row.key) + " has no meaning in mode " + std::string(to_string(tunnel.mode)),
        cipher ? "write data-ciphers = [\"AES-256-GCM\"], or take it out"
        : no_mode_of_it
            ? std::string("take it out")
            : "take it out, or write mode = \"" + std::string(to_string(row.mode)) + "\"");
  }
}

void check_secret(Checker& out, const Site& site, const Described& tunnel) {
  if (tunnel.secret.empty()) {
    out.problem(
        "mode", "mode static-key needs a key",
        "write secret = \"" + site.name + ".key\" (`tunctl key gen " + site.name + "` makes one)");
  }
  check_credential(out, "secret", tunnel.secret);
  check_cipher(out, tunnel);
  check_digest(out, tunnel);
  const auto* cipher = ovpn::find_cipher(tunnel.cipher);
  const auto* digest = ovpn::find_digest(tunnel.auth);
  if (cipher != nullptr && cipher->is_none() && digest != nullptr && digest->is_none()) {
    check_listener(out, site, tunnel, "cipher", "cipher none and auth none");
  }
}

// A server may be an old one, which has nothing but CBC.
bool is_data_cipher(const ovpn::CipherName& cipher, const Described& tunnel) {
  return cipher.mode == ovpn::CipherMode::kAead ||
         (is_client(tunnel) && cipher.mode == ovpn::CipherMode::kCbc && !cipher.is_none());
}

void check_data_ciphers(Checker& out, const Described& tunnel) {
  for (const std::string& name : tunnel.data_ciphers) {
    const auto* cipher = ovpn::find_cipher(name);
    if (cipher != nullptr && is_data_cipher(*cipher, tunnel)) continue;
    std::vector<std::string_view> names;
    for (const auto& row : ovpn::cipher_table()) {
      if (is_data_cipher(row, tunnel)) names.push_back(row.name);
    }
    const auto near = base::nearest(name, names);
    const bool typing_error = cipher == nullptr && near;
    out.problem("data-ciphers",
                cipher == nullptr ? "no cipher is called " + in_quotes(name)
                                  : in_quotes(name) + " is not among the ciphers of mode " +
                                        std::string(to_string(tunnel.mode)),
                typing_error ? "did you mean " + std::string(*near) + "?"
                             : "write \"AES-256-GCM\" or \"CHACHA20-POLY1305\"");
  }
}

void check_no_credential(Checker& out, const Site& site, std::string_view key,
                         const std::string& file) {
  if (!file.starts_with(kCredential)) return;
  out.problem(
      key, "keys out of systemd's credentials are not read",
      "put it into a file below /etc/tunctl/keys/" + site.name + " and write that file's name");
}

// Whether there is a fingerprint at all is asked where the tunnel is to run (render::unfinished):
// until then the far end's key need not even be made.
void check_fingerprints(Checker& out, const Site& site, const Described& tunnel) {
  for (const std::string_view key : {"cert", "key"}) {
    const std::string& file = key == "cert" ? tunnel.cert : tunnel.key;
    if (file.empty()) {
      out.problem("mode", "mode fingerprint needs a " + in_quotes(key),
                  "write cert = \"tls.crt\" and key = \"tls.key\" (`tunctl key gen " + site.name +
                      "` makes both)");
    }
  }
}

void check_fingerprint_texts(Checker& out, const Described& tunnel) {
  for (const std::string& text : tunnel.peer_fingerprint) {
    const auto fingerprint = read_fingerprint(text);
    if (fingerprint) continue;
    out.problem("peer-fingerprint", fingerprint.error().message, fingerprint.error().remedy);
  }
}

void check_x509_name(Checker& out, const Described& tunnel) {
  const auto& words = tunnel.verify_x509_name;
  if (!out.written("verify-x509-name")) return;
  const bool known =
      words.size() < 2 || words[1] == "name" || words[1] == "name-prefix" || words[1] == "subject";
  if (!words.empty() && words.size() < 3 && known) return;
  out.problem("verify-x509-name", "'verify-x509-name' takes a name and how it is compared",
              "write [\"gw-b\", \"name\"]; name-prefix and subject are the other ways");
}

void check_wrap(Checker& out, const Described& tunnel) {
  const char* first = nullptr;
  for (const auto& [key, file] :
       {std::pair<const char*, const std::string*>{"tls-auth", &tunnel.tls_auth},
        {"tls-crypt", &tunnel.tls_crypt},
        {"tls-crypt-v2", &tunnel.tls_crypt_v2}}) {
    if (file->empty()) continue;
    if (first != nullptr) {
      out.problem(
          first, in_quotes(first) + " and " + in_quotes(key) + " are two wraps of the same packets",
          "write the one that the far end has");
    }
    first = key;
  }
  if (out.written("key-direction") && tunnel.tls_auth.empty()) {
    out.problem("key-direction", "'key-direction' is about tls-auth, and there is none",
                "take it out");
  }
}

// An authority signs more than one machine: what tells them apart is what else is asked of them.
void check_pki(Checker& out, const Described& tunnel) {
  for (const auto& [key, file] : {std::pair<const char*, const std::string*>{"ca", &tunnel.ca},
                                  {"cert", &tunnel.cert},
                                  {"key", &tunnel.key}}) {
    if (!file->empty()) continue;
    out.problem("mode", "mode pki needs a " + in_quotes(key),
                "write ca = \"ca.crt\", cert = \"tls.crt\" and key = \"tls.key\"");
  }
}

// Of every tunnel that is TLS.
void check_tls(Checker& out, const Site& site, const Described& tunnel) {
  for (const auto& [key, file] : {std::pair<const char*, const std::string*>{"ca", &tunnel.ca},
                                  {"cert", &tunnel.cert},
                                  {"key", &tunnel.key},
                                  {"tls-auth", &tunnel.tls_auth},
                                  {"tls-crypt", &tunnel.tls_crypt},
                                  {"tls-crypt-v2", &tunnel.tls_crypt_v2}}) {
    check_no_credential(out, site, key, *file);
  }
  check_fingerprint_texts(out, tunnel);
  check_x509_name(out, tunnel);
  check_wrap(out, tunnel);
  check_data_ciphers(out, tunnel);
  if (is_client(tunnel)) check_digest(out, tunnel);
  if (tunnel.remote_cert_tls == "off" && tunnel.verify_x509_name.empty()) {
    out.warning("remote-cert-tls", "any certificate of this authority passes for the far end's",
                "write verify-x509-name = [\"NAME\", \"name\"], or take remote-cert-tls out");
  }
}

void check_cleartext(Checker& out, const Site& site, const Described& tunnel) {
  check_listener(out, site, tunnel, "mode", "mode none");
  if (!tunnel.remote.empty() || site.acknowledge_cleartext) {
    out.warning("mode", "mode none: everyone on the way can read and change what goes through",
                "write mode = \"static-key\"");
  }
}

}  // namespace

void check_mode(Checker& out, const Site& site, const Described& tunnel) {
  if (!check_type(out, site, tunnel)) return;
  check_keys_of_other_modes(out, tunnel);
  if (is_tls(tunnel.mode)) check_tls(out, site, tunnel);
  if (is_client(tunnel)) return;
  switch (tunnel.mode) {
    case Mode::kFingerprint:
      check_fingerprints(out, site, tunnel);
      break;
    case Mode::kPki:
      check_pki(out, tunnel);
      break;
    case Mode::kStaticKey:
      check_secret(out, site, tunnel);
      break;
    case Mode::kNone:
      check_cleartext(out, site, tunnel);
      break;
  }
}

}  // namespace site
