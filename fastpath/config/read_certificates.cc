// SPDX-License-Identifier: Apache-2.0
// TLS mode: certificates and keys, and what the peer's certificate has to be.
#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "fastpath/config/reading.h"

namespace config {
namespace {

constexpr std::size_t kSha1Bytes = 20, kSha256Bytes = 32;
constexpr std::size_t kFingerprintsMax = 256;

void ca(Reading& r, const ovpn::Directive& d) { r.tls.certificate.ca = file_of(r, d); }
void capath(Reading& r, const ovpn::Directive& d) { r.tls.certificate.ca_path = word(d, 0); }
void cert(Reading& r, const ovpn::Directive& d) { r.tls.certificate.cert = file_of(r, d); }
void key(Reading& r, const ovpn::Directive& d) { r.tls.certificate.key = file_of(r, d); }
void pkcs12(Reading& r, const ovpn::Directive& d) { r.tls.certificate.pkcs12 = file_of(r, d); }
void extra_certs(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.extra_certs = file_of(r, d);
}
void dh(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.dh = word(d, 0) == "none" && !d.body ? ConfigFile{} : file_of(r, d);
}

void askpass(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.askpass = true;
  if (!d.args.empty()) r.tls.certificate.passphrase_file = file_of(r, d);
}

void crl_verify(Reading& r, const ovpn::Directive& d) {
  auto& to = r.tls.certificate;
  if (d.args.size() > 1 && d.args[1] != "dir") {
    r.problem(d, "'" + d.args[1] + "' is not what it takes", "write 'dir' or nothing");
    return;
  }
  const bool folder = d.args.size() > 1;
  to.crl = folder ? ConfigFile{} : file_of(r, d);
  to.crl_directory = folder ? d.args[0] : std::string();
}

// Hex pairs with colons, as openssl x509 -fingerprint prints them. In capitals; empty: not that.
std::string fingerprint(std::string_view text, std::size_t bytes) {
  const auto pairs = base::split(text, ':');
  if (pairs.size() != bytes) return {};
  std::string result;
  for (const std::string_view pair : pairs) {
    unsigned value = 0;
    const char* end = pair.data() + pair.size();
    const auto read = std::from_chars(pair.data(), end, value, 16);
    if (pair.empty() || pair.size() > 2 || read.ec != std::errc() || read.ptr != end) return {};
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (!result.empty()) result += ':';
    result += {kDigits[value >> 4], kDigits[value & 15]};
  }
  return result;
}

std::vector<std::string_view> hash_lines(const ovpn::Directive& d) {
  std::vector<std::string_view> lines;
  if (!d.body) return d.args.empty() ? lines : std::vector<std::string_view>{d.args[0]};
  for (const std::string_view line : base::split(*d.body, '\n')) {
    const std::string_view bare = base::trim(line);
    if (!bare.empty() && bare[0] != '#' && bare[0] != ';') lines.push_back(bare);
  }
  return lines;
}

void read_hashes(Reading& r, const ovpn::Directive& d, std::size_t bytes,
                 std::vector<std::string>& to) {
  for (const std::string_view line : hash_lines(d)) {
    const std::string hash = fingerprint(line, bytes);
    if (hash.empty()) {
      r.problem(
          d, "'" + std::string(line) + "' is no fingerprint of " + std::to_string(bytes) + " bytes",
          "write hex pairs with colons, as `openssl x509 -fingerprint` prints them");
      return;
    }
    if (to.size() >= kFingerprintsMax) {
      r.problem(d, "more than " + std::to_string(kFingerprintsMax) + " of them", "write fewer");
      return;
    }
    to.push_back(hash);
  }
}

void peer_fingerprint(Reading& r, const ovpn::Directive& d) {
  read_hashes(r, d, kSha256Bytes, r.tls.certificate.fingerprints);
}

// Without the digest's name it is SHA1 on a line and SHA256 in a block (OpenVPN 2.6).
void verify_hash(Reading& r, const ovpn::Directive& d) {
  const std::string name = d.body ? word(d, 0) : word(d, 1);
  auto& to = r.tls.certificate.issuer_hash;
  if (!to) to = CertificateConfig::Hash();
  if (name != "" && name != "SHA1" && name != "SHA256") {
    r.problem(d, "'" + name + "' is not a digest it takes", "write SHA256");
    return;
  }
  to->digest = name == "SHA1" || (name.empty() && !d.body) ? "SHA1" : "SHA256";
  read_hashes(r, d, to->digest == "SHA1" ? kSha1Bytes : kSha256Bytes, to->values);
}

std::optional<TlsRole> role_of(Reading& r, const ovpn::Directive& d) {
  const std::string role = word(d, 0);
  if (role == "server") return TlsRole::kServer;
  if (role == "client") return TlsRole::kClient;
  r.problem(d, "'" + role + "' is no role of a peer", "write server or client");
  return std::nullopt;
}

void remote_cert_tls(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.remote_cert_tls = role_of(r, d);
}
void ns_cert_type(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.netscape_cert_type = role_of(r, d);
  r.warning(d.place, "ns-cert-type: certificates have not carried this for many years",
            "write `remote-cert-tls " + word(d, 0) + "`");
}

void remote_cert_ku(Reading& r, const ovpn::Directive& d) {
  auto& to = r.tls.certificate.key_usages;
  to.clear();
  for (const std::string& text : d.args) {
    const std::string_view digits = std::string_view(text).substr(text.starts_with("0x") ? 2 : 0);
    unsigned value = 0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, value, 16);
    if (read.ec != std::errc() || read.ptr != end || value == 0 || value > 0xffff) {
      r.problem(d, "'" + text + "' is no key usage", "write it in hex, for example a0");
      return;
    }
    to.push_back(value);
  }
  if (d.args.empty()) to.push_back(kAnyKeyUsage);
}

void remote_cert_eku(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.extended_key_usage = word(d, 0);
}

void verify_x509_name(Reading& r, const ovpn::Directive& d) {
  using Kind = CertificateConfig::Name::Kind;
  CertificateConfig::Name name;
  name.value = word(d, 0);
  const std::string kind = word(d, 1);
  if (kind == "name") {
    name.kind = Kind::kName;
  } else if (kind == "name-prefix") {
    name.kind = Kind::kNamePrefix;
  } else if (kind != "" && kind != "subject") {
    r.problem(d, "'" + kind + "' is not a kind of name", "write subject, name or name-prefix");
    return;
  }
  r.tls.certificate.peer_name = name;
}

void x509_username_field(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.x509_username_field = word(d, 0);
  if (d.args.size() > 1) {
    r.warning(d.place, "x509-username-field: only the first field is used");
  }
}

// "1.2"; nothing after a Problem. `highest`: or-highest, for a version that does not exist yet.
std::optional<std::string> version_of(Reading& r, const ovpn::Directive& d, bool highest) {
  constexpr std::array<std::string_view, 4> kVersions{"1.0", "1.1", "1.2", "1.3"};
  const std::string version = word(d, 0);
  if (std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end()) return version;
  if (highest) return "1.3";
  r.problem(d, "'" + version + "' is no version of TLS", "write 1.2 or 1.3");
  return std::nullopt;
}

void tls_version_min(Reading& r, const ovpn::Directive& d) {
  const std::string flag = word(d, 1);
  if (flag != "" && flag != "or-highest") {
    r.problem(d, "'" + flag + "' is not what it takes", "write or-highest or nothing");
  }
  r.version_min_given = true;
  const auto version = version_of(r, d, flag == "or-highest");
  if (version) r.tls.certificate.version_min = *version;
}

void tls_version_max(Reading& r, const ovpn::Directive& d) {
  if (const auto version = version_of(r, d, false)) r.tls.certificate.version_max = *version;
}

void tls_cipher(Reading& r, const ovpn::Directive& d) { r.tls.certificate.ciphers = word(d, 0); }
void tls_ciphersuites(Reading& r, const ovpn::Directive& d) {
  r.tls.certificate.ciphersuites = word(d, 0);
}
void tls_groups(Reading& r, const ovpn::Directive& d) { r.tls.certificate.groups = word(d, 0); }
// What 2.4 called it; it named one curve for ECDH.
void ecdh_curve(Reading& r, const ovpn::Directive& d) { r.groups_of_curve = word(d, 0); }

void tls_cert_profile(Reading& r, const ovpn::Directive& d) {
  const std::string profile = word(d, 0);
  for (const char* known : {"legacy", "preferred", "suiteb", "insecure"}) {
    if (profile == known) {
      r.tls.certificate.profile = profile;
      return;
    }
  }
  r.problem(d, "'" + profile + "' is no profile", "write legacy, preferred, suiteb or insecure");
}

constexpr ReadingRow kRows[] = {
    {"askpass", askpass},
    {"ca", ca},
    {"capath", capath},
    {"cert", cert},
    {"crl-verify", crl_verify},
    {"dh", dh},
    {"ecdh-curve", ecdh_curve},
    {"extra-certs", extra_certs},
    {"key", key},
    {"ns-cert-type", ns_cert_type},
    {"peer-fingerprint", peer_fingerprint},
    {"pkcs12", pkcs12},
    {"remote-cert-eku", remote_cert_eku},
    {"remote-cert-ku", remote_cert_ku},
    {"remote-cert-tls", remote_cert_tls},
    {"tls-cert-profile", tls_cert_profile},
    {"tls-cipher", tls_cipher},
    {"tls-ciphersuites", tls_ciphersuites},
    {"tls-groups", tls_groups},
    {"tls-version-max", tls_version_max},
    {"tls-version-min", tls_version_min},
    {"verify-hash", verify_hash},
    {"verify-x509-name", verify_x509_name},
    {"x509-username-field", x509_username_field},
};

}  // namespace

std::span<const ReadingRow> certificate_rows() { return kRows; }

}  // namespace config
