// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/certificate_rules.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/bytes.h"
#include "base/text.h"

namespace crypto {
namespace {

// `remote-cert-ku` without values: the extension must be there, whatever it says.
constexpr unsigned kAnyKeyUsage = 0xFFFF;
constexpr std::size_t kHarmlessMax = 512;

struct Release {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EXTENDED_KEY_USAGE* usages) const { EXTENDED_KEY_USAGE_free(usages); }
  void operator()(GENERAL_NAMES* names) const { GENERAL_NAMES_free(names); }
  void operator()(BIGNUM* number) const { BN_free(number); }
};

bool same_fingerprint(std::string_view a, std::string_view b) {
  const auto digits = [](std::string_view text) {
    std::string kept;
    std::ranges::copy_if(base::to_lower(text), std::back_inserter(kept),
                         [](char c) { return c != ':' && c != ' '; });
    return kept;
  };
  return digits(a) == digits(b);
}

bool any_fingerprint(Library& library, const X509* certificate, const std::string& digest,
                     const std::vector<std::string>& wanted) {
  const std::string own = fingerprint_of(library, certificate, digest);
  return std::ranges::any_of(wanted, [&](const auto& each) { return same_fingerprint(each, own); });
}

std::string text_of(const ASN1_STRING* string) {
  unsigned char* utf8 = nullptr;
  const int size = ASN1_STRING_to_UTF8(&utf8, string);
  if (size < 0) return "";
  std::string text(reinterpret_cast<const char*>(utf8), static_cast<std::size_t>(size));
  OPENSSL_free(utf8);
  // A NUL inside would end the name early for whoever compares it.
  return text.find('\0') == std::string::npos ? text : "";
}

std::string serial_of(const X509* certificate) {
  const std::unique_ptr<BIGNUM, Release> number(
      ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr));
  char* decimal = number ? BN_bn2dec(number.get()) : nullptr;
  std::string text = decimal == nullptr ? "" : decimal;
  OPENSSL_free(decimal);
  return text;
}

bool has_key_usage(X509* certificate, const std::vector<unsigned>& wanted) {
  const std::uint32_t usage = X509_get_key_usage(certificate);
  if (usage == UINT32_MAX) return false;  // no such extension
  return std::ranges::any_of(
      wanted, [usage](unsigned each) { return each == kAnyKeyUsage || (usage & each) == each; });
}

// `wanted`: an OID, or a name as OpenSSL has it, long or short.
bool has_extended_key_usage(X509* certificate, const std::string& wanted) {
  const std::unique_ptr<EXTENDED_KEY_USAGE, Release> usages(static_cast<EXTENDED_KEY_USAGE*>(
      X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr)));
  const int count = usages ? sk_ASN1_OBJECT_num(usages.get()) : 0;
  for (int i = 0; i < count; ++i) {
    const ASN1_OBJECT* usage = sk_ASN1_OBJECT_value(usages.get(), i);
    std::array<char, 256> text{};
    for (const int numeric : {0, 1}) {
      OBJ_obj2txt(text.data(), text.size(), usage, numeric);
      if (wanted == text.data()) return true;
    }
    const int nid = OBJ_obj2nid(usage);
    if (nid != NID_undef && wanted == OBJ_nid2sn(nid)) return true;
  }
  return false;
}

const char* usage_of(config::TlsRole role) {
  return role == config::TlsRole::kServer ? "TLS Web Server Authentication"
                                          : "TLS Web Client Authentication";
}

bool good_for(X509* certificate, config::TlsRole role) {
  const int purpose =
      role == config::TlsRole::kServer ? X509_PURPOSE_SSL_SERVER : X509_PURPOSE_SSL_CLIENT;
  return X509_check_purpose(certificate, purpose, 0) == 1;
}

std::string broken_usage(const config::CertificateConfig& config, X509* certificate) {
  if (config.netscape_cert_type && !good_for(certificate, *config.netscape_cert_type)) {
    return "its Netscape type is not what ns-cert-type wants; write remote-cert-tls";
  }
  if (config.remote_cert_tls && !has_key_usage(certificate, {kAnyKeyUsage})) {
    return "it has no key usage, which remote-cert-tls wants; issue one with keyUsage";
  }
  if (!config.key_usages.empty() && !has_key_usage(certificate, config.key_usages)) {
    return "its key usage is not what remote-cert-ku wants";
  }
  const std::string wanted = !config.extended_key_usage.empty() ? config.extended_key_usage
                             : config.remote_cert_tls           ? usage_of(*config.remote_cert_tls)
                                                                : "";
  if (!wanted.empty() && !has_extended_key_usage(certificate, wanted)) {
    return "it is not good for '" + wanted + "', which remote-cert-tls or remote-cert-eku wants";
  }
  return "";
}

std::string broken_name(const config::CertificateConfig& config, X509* certificate) {
  if (!config.peer_name) return "";
  using Kind = config::CertificateConfig::Name::Kind;
  const std::string& wanted = config.peer_name->value;
  const std::string name = config.peer_name->kind == Kind::kSubject
                               ? subject_of(certificate)
                               : username_of(config, certificate);
  const bool same =
      config.peer_name->kind == Kind::kNamePrefix ? name.starts_with(wanted) : name == wanted;
  return same ? ""
              : "its name is '" + harmless(name) + "', and verify-x509-name wants '" + wanted + "'";
}

std::string broken_revocation(const TlsContext& context, const X509* certificate) {
  const std::string& folder = context.config().crl_directory;
  if (folder.empty()) return "";
  switch (context.find_file(folder + "/" + serial_of(certificate))) {
    case FileFound::kThere:
      return "it is revoked: crl-verify's folder has a file named by its serial number";
    case FileFound::kNotThere:
      return "";
    case FileFound::kCannotTell:
      break;
  }
  return "it may be revoked: crl-verify's folder " + folder +
         " cannot be searched; give `user` the right to, and with `chroot` have it in there";
}

}  // namespace

std::string harmless(std::string text) {
  text.resize(std::min(text.size(), kHarmlessMax));
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::ranges::replace_if(text, control, '_');
  return text;
}

std::string subject_of(const X509* certificate) {
  const std::unique_ptr<BIO, Release> bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(
      bio.get(), X509_get_subject_name(certificate), 0,
      XN_FLAG_SEP_CPLUS_SPC | XN_FLAG_FN_SN | ASN1_STRFLGS_UTF8_CONVERT | ASN1_STRFLGS_ESC_CTRL);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "";
}

std::string username_of(const config::CertificateConfig& config, X509* certificate) {
  const std::string& field = config.x509_username_field;
  if (field.starts_with("ext:")) {
    const std::unique_ptr<GENERAL_NAMES, Release> names(static_cast<GENERAL_NAMES*>(
        X509_get_ext_d2i(certificate, OBJ_txt2nid(field.c_str() + 4), nullptr, nullptr)));
    const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
    for (int i = 0; i < count; ++i) {
      const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
      if (name->type == GEN_EMAIL) return text_of(name->d.ia5);
    }
    return "";
  }
  const X509_NAME* subject = X509_get_subject_name(certificate);
  const int nid = OBJ_txt2nid(field.c_str());
  int last = -1;  // of several, the last one counts
  for (int at = -1; (at = X509_NAME_get_index_by_NID(subject, nid, at)) >= 0;) last = at;
  if (nid == NID_undef || last < 0) return "";
  return text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, last)));
}

std::string fingerprint_of(Library& library, const X509* certificate, const std::string& digest) {
  const DigestHandle method = library.digest(digest);
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (X509_digest(certificate, method.get(), bytes.data(), &size) != 1) return "";
  std::string text;
  for (unsigned at = 0; at < size; ++at) {
    text += fmt::format("{}{:02X}", at == 0 ? "" : ":", bytes[at]);
  }
  return text;
}

std::string broken_rule(const TlsContext& context, X509* certificate, int depth) {
  const config::CertificateConfig& config = context.config();
  if (std::string why = broken_revocation(context, certificate); !why.empty()) return why;
  if (depth == 1 && config.issuer_hash &&
      !any_fingerprint(context.library(), certificate, config.issuer_hash->digest,
                       config.issuer_hash->values)) {
    return "its fingerprint is not in verify-hash";
  }
  if (depth != 0) return "";
  if (!config.fingerprints.empty() &&
      !any_fingerprint(context.library(), certificate, "SHA256", config.fingerprints)) {
    return "its SHA-256 fingerprint " + fingerprint_of(context.library(), certificate, "SHA256") +
           " is not in peer-fingerprint";
  }
  std::string why = broken_usage(config, certificate);
  return why.empty() ? broken_name(config, certificate) : why;
}

}  // namespace crypto
