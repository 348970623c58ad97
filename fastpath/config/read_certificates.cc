// SPDX-License-Identifier: Apache-2.0
// TLS mode: certificates and keys, and what the peer's certificate has to be.
#include "fastpath/config/reading.h"
#include "ovpn/tls_words.h"

namespace config {
namespace {

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

void read_hashes(Reading& r, const ovpn::Directive& d, std::size_t bytes,
                 std::vector<std::string>& to) {
  for (const std::string_view line : ovpn::fingerprint_lines(d)) {
    const auto hash = ovpn::parse_fingerprint(line, bytes);
    if (!hash) {
      r.problem(
          d, "'" + std::string(line) + "' is no fingerprint of " + std::to_string(bytes) + " bytes",
          "write hex pairs with colons, as `openssl x509 -fingerprint` prints them");
      return;
    }
    if (to.size() >= ovpn::kFingerprintsMax) {
      r.problem(d, "more than " + std::to_string(ovpn::kFingerprintsMax) + " of them", "write fewer");
      return;
    }
    to.push_back(*hash);
  }
}

void peer_fingerprint(Reading& r, const ovpn::Directive& d) {
  read_hashes(r, d, ovpn::kSha256Bytes, r.tls.certificate.fingerprints);
}

void verify_hash(Reading& r, const ovpn::Directive& d) {
  auto& to = r.tls.certificate.issuer_hash;
  if (!to) to = CertificateConfig::Hash();
  const auto digest = ovpn::verify_hash_digest(d);
  if (!digest) {
    r.problem(d, "'" + word(d, d.body ? 0 : 1) + "' is not a digest it takes", "write SHA256");
    return;
  }
  to->digest = *digest;
  read_hashes(r, d, to->digest == "SHA1" ? ovpn::kSha1Bytes : ovpn::kSha256Bytes, to->values);
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
    const auto value = ovpn::parse_key_usage(text);
    if (!value) {
      r.problem(d, "'" + text + "' is no key usage", "write it in hex, for example a0");
      return;
    }
    to.push_back(*value);
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
  const std::string version = word(d, 0);
  if (ovpn::is_tls_version(version)) return version;
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
