// SPDX-License-Identifier: Apache-2.0
// One value at a time, as in number_errors.cc: what only TLS directives take.
#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/tls_words.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/value_errors.h"

namespace ovpn {
namespace {

class Values {
 public:
  Values(const Directive& directive, base::Problems& problems)
      : directive_(directive), problems_(problems) {}

  void check();

 private:
  void check_fingerprints(std::size_t bytes);
  void check_hash();
  void check_cipher_list();
  void check_fallback();
  void check_key_usages();
  void check_lowest_version();
  void check_direction();
  void check_inline();
  void check_reneg_range();

  std::string_view word(std::size_t index) const {
    return index < directive_.args.size() ? std::string_view(directive_.args[index]) : "";
  }
  void add(std::string message, std::string remedy) {
    problems_.push_back({directive_.place, std::move(message), std::move(remedy)});
  }

  const Directive& directive_;
  base::Problems& problems_;
};

void Values::check() {
  const std::string_view name = directive_.name;
  if (name == "peer-fingerprint") check_fingerprints(kSha256Bytes);
  if (name == "verify-hash") check_hash();
  if (name == "data-ciphers" || name == "ncp-ciphers") check_cipher_list();
  if (name == "data-ciphers-fallback") check_fallback();
  if (name == "remote-cert-ku") check_key_usages();
  if (name == "tls-version-min") check_lowest_version();
  if (name == "tls-version-max" && !is_tls_version(word(0))) {
    add("'" + std::string(word(0)) + "' is no version of TLS", "write 1.2 or 1.3");
  }
  if (name == "tls-auth") check_direction();
  if (name == "reneg-sec") check_reneg_range();
  check_inline();
  if (name == "compat-mode" && !parse_openvpn_version(word(0))) {
    add("'" + std::string(word(0)) + "' is no version of OpenVPN", "write for example 2.4.0");
  }
}

void Values::check_fingerprints(std::size_t bytes) {
  const auto lines = fingerprint_lines(directive_);
  for (const std::string_view line : lines) {
    if (parse_fingerprint(line, bytes)) continue;
    return add(directive_.name + ": '" + std::string(line) + "' is no fingerprint of " +
                   std::to_string(bytes) + " bytes",
               "write hex pairs with colons, as `openssl x509 -fingerprint` prints them");
  }
  if (lines.size() <= kFingerprintsMax) return;
  add(directive_.name + ": more than " + std::to_string(kFingerprintsMax) + " of them",
      "write fewer");
}

void Values::check_hash() {
  const auto digest = verify_hash_digest(directive_);
  if (digest) return check_fingerprints(*digest == "SHA1" ? kSha1Bytes : kSha256Bytes);
  add("verify-hash: '" + std::string(word(directive_.body ? 0 : 1)) +
          "' is not a digest it takes",
      "write SHA256");
}

void Values::check_cipher_list() {
  if (word(0).size() > kCipherListBytesMax) {
    return add(directive_.name + ": the list is longer than 127 characters", "name fewer ciphers");
  }
  const auto unknown = unknown_data_cipher(word(0));
  if (!unknown) return;
  const std::string entry(*unknown);
  add(directive_.name + ": '" + entry + "' is not known", "leave it out, or write ?" + entry);
}

void Values::check_fallback() {
  if (find_cipher(word(0)) != nullptr) return;
  add("data-ciphers-fallback: '" + std::string(word(0)) + "' is not known",
      "write for example AES-256-CBC");
}

void Values::check_key_usages() {
  for (const std::string& text : directive_.args) {
    if (parse_key_usage(text)) continue;
    return add("remote-cert-ku: '" + text + "' is no key usage",
               "write it in hex, for example a0");
  }
}

void Values::check_lowest_version() {
  const std::string_view flag = word(1);
  if (flag != "" && flag != "or-highest") {
    return add("tls-version-min: '" + std::string(flag) + "' is not what it takes",
               "write or-highest or nothing");
  }
  if (is_tls_version(word(0)) || flag == "or-highest") return;
  add("'" + std::string(word(0)) + "' is no version of TLS", "write 1.2 or 1.3");
}

// `tls-auth [inline] 1` beside a block, an old spelling, gives its direction there too.
void Values::check_direction() {
  const std::string_view direction =
      word(directive_.body && directive_.args.size() == 1 ? 0 : 1);
  if (direction == "" || direction == "0" || direction == "1") return;
  add("tls-auth: '" + std::string(direction) + "' is no key direction",
      "write 0 at one end and 1 at the other");
}

// The second number is the least of what a server may choose by chance.
void Values::check_reneg_range() {
  const auto most = base::parse_number<int>(word(0));
  const auto least = base::parse_number<int>(word(1));
  if (!most || !least || *least <= *most) return;
  add("reneg-sec: '" + std::string(word(1)) + "' is more than '" + std::string(word(0)) + "'",
      "write the smaller number second");
}

// The files that only TLS has.
void Values::check_inline() {
  if (directive_.body || word(0) != "[inline]") return;
  for (const std::string_view file :
       {"askpass", "auth-user-pass", "ca", "cert", "crl-verify", "dh", "extra-certs", "key", "pkcs12",
        "tls-auth", "tls-crypt", "tls-crypt-v2"}) {
    if (directive_.name != file) continue;
    add(directive_.name + ": says [inline] but there is no <" + directive_.name + "> block",
        "add the block");
  }
}

// What one line says against another.
void check_versions(const Profile& profile, base::Problems& problems) {
  const Directive* highest = profile.last("tls-version-max");
  const auto max = profile.arg("tls-version-max");
  const auto min = profile.arg("tls-version-min");
  if (highest == nullptr || !max || !is_tls_version(*max)) return;
  const bool old = parse_openvpn_version(profile.arg("compat-mode").value_or("")).value_or(99999) <
                   20307;
  const std::string lowest = min && is_tls_version(*min) ? *min : old && !min ? "1.0" : "1.2";
  if (*max >= lowest) return;
  problems.push_back({highest->place,
                      "tls-version-max " + *max + " is below " + lowest +
                          ", the lowest that is taken",
                      "leave it out, or write `tls-version-min " + *max + "`"});
}

}  // namespace

void find_tls_value_errors(const Profile& profile, base::Problems& problems) {
  if (tunnel_mode(profile) != TunnelMode::kTls) return;  // where they say nothing
  for (const Directive& directive : profile.directives) {
    if (problems.size() >= base::kProblemsMax) return;
    Values(directive, problems).check();
  }
  check_versions(profile, problems);
  if (profile.has("ncp-disable") && !profile.has("cipher") &&
      !profile.has("data-ciphers-fallback") && !profile.has("compat-mode")) {
    problems.push_back(
        {profile.last("ncp-disable")->place, "ncp-disable without `cipher`", "leave it out"});
  }
}

}  // namespace ovpn
