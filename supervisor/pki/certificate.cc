// SPDX-License-Identifier: Apache-2.0
#include "supervisor/pki/certificate.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>

#include "base/base64.h"
#include "base/bytes.h"
#include "supervisor/pki/handles.h"

namespace pki {
namespace {

Handle<BIO> reader_of(std::string_view text) {
  const bool fits = text.size() <= std::numeric_limits<int>::max();
  return Handle<BIO>(BIO_new_mem_buf(text.data(), fits ? static_cast<int>(text.size()) : 0));
}

Handle<X509> certificate_of(std::string_view pem) {
  const auto bio = reader_of(pem);
  Handle<X509> certificate(bio ? PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  ERR_clear_error();
  return certificate;
}

// OpenSSL would ask the terminal for a passphrase.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

// OpenSSL's own conversions go through a time_t, which may have 32 bits in a library that was built
// so.
base::UnixSeconds seconds_of(const ASN1_TIME* time) {
  struct tm parts {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return 0;
  const std::chrono::year_month_day date{
      std::chrono::year(parts.tm_year + 1900),
      std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
      std::chrono::day(static_cast<unsigned>(parts.tm_mday))};
  const base::UnixSeconds days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + parts.tm_hour) * 60 + parts.tm_min) * 60 + parts.tm_sec;
}

std::string subject_of(const X509* certificate) {
  const Handle<BIO> bio(BIO_new(BIO_s_mem()));
  if (!bio) return "";
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0,
                     XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
  return written_to(bio.get());
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (X509_digest(certificate, EVP_sha256(), bytes.data(), &size) != 1) return "";
  std::string text;
  for (unsigned at = 0; at < size; ++at) {
    text += fmt::format("{}{:02X}", at == 0 ? "" : ":", bytes[at]);
  }
  return text;
}

// OpenSSL's own names; a certificate signed with one of them can be forged, or could soon.
bool is_weak(std::string_view digest) {
  return digest == "SHA1" || digest == "MD5" || digest == "MD4" || digest == "MD2";
}

void read_signature(X509* certificate, Certificate& facts) {
  int digest = NID_undef, kind = NID_undef;
  std::uint32_t flags = 0;
  if (X509_get_signature_info(certificate, &digest, &kind, &facts.signature_bits, &flags) != 1) {
    // Not known to this OpenSSL, which then refuses it by itself.
    ERR_clear_error();
  }
  if (digest != NID_undef) facts.digest = OBJ_nid2sn(digest);
  facts.weak_digest = is_weak(facts.digest);
}

void read_public_key(const X509* certificate, Certificate& facts) {
  const EVP_PKEY* key = X509_get0_pubkey(certificate);
  if (key == nullptr) return ERR_clear_error();
  if (EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA) facts.rsa_bits = EVP_PKEY_get_bits(key);
  facts.key_security_bits = EVP_PKEY_get_security_bits(key);
}

Certificate facts_of(X509* certificate) {
  Certificate facts;
  facts.fingerprint = fingerprint_of(certificate);
  facts.subject = subject_of(certificate);
  facts.not_before = seconds_of(X509_get0_notBefore(certificate));
  facts.not_after = seconds_of(X509_get0_notAfter(certificate));
  facts.names_itself =
      X509_NAME_cmp(X509_get_subject_name(certificate), X509_get_issuer_name(certificate)) == 0;
  read_signature(certificate, facts);
  read_public_key(certificate, facts);
  return facts;
}

std::size_t line_of(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

}  // namespace

std::string day_of(base::UnixSeconds time) {
  const std::chrono::sys_seconds at{std::chrono::seconds(time)};
  const std::chrono::year_month_day date(std::chrono::floor<std::chrono::days>(at));
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

CertificateList read_certificates(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  CertificateList list;
  const auto bio = reader_of(pem);
  std::size_t read = 0;  // bytes, up to the end of the certificate before
  while (bio) {
    const Handle<X509> next(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!next) break;
    read = pem.size() - static_cast<std::size_t>(BIO_ctrl_pending(bio.get()));
    list.certificates.push_back(facts_of(next.get()));
    const auto begin = pem.rfind(kBegin, read - 1);
    list.certificates.back().line = line_of(pem, begin == std::string_view::npos ? 0 : begin);
  }
  ERR_clear_error();
  const auto damaged = pem.find("-----BEGIN CERTIFICATE-----", read);
  if (damaged != std::string_view::npos) list.damaged_line = line_of(pem, damaged);
  return list;
}

std::vector<Certificate> read_pkcs12(std::string_view bytes, const std::string& passphrase) {
  constexpr char kDerSequence = 0x30;  // X.690
  std::optional<base::Bytes> decoded;
  if (!bytes.starts_with(kDerSequence)) decoded = base::from_base64(bytes);
  if (decoded) bytes = {reinterpret_cast<const char*>(decoded->data()), decoded->size()};
  const auto bio = reader_of(bytes);
  const Handle<PKCS12> bundle(bio ? d2i_PKCS12_bio(bio.get(), nullptr) : nullptr);
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* others = nullptr;
  const bool opened =
      bundle && PKCS12_parse(bundle.get(), passphrase.c_str(), &key, &certificate, &others) == 1;
  ERR_clear_error();
  const Handle<EVP_PKEY> key_owner(key);
  const Handle<X509> certificate_owner(certificate);
  const Handle<STACK_OF(X509)> others_owner(others);
  std::vector<Certificate> list;
  if (!opened) return list;
  if (certificate != nullptr) list.push_back(facts_of(certificate));
  for (int at = 0; others != nullptr && at < sk_X509_num(others); ++at) {
    list.push_back(facts_of(sk_X509_value(others, at)));
  }
  return list;
}

bool holds_key(std::string_view pem) {
  bool encrypted = false;
  const auto bio = reader_of(pem);
  const Handle<EVP_PKEY> key(
      bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &encrypted) : nullptr);
  ERR_clear_error();
  return key || encrypted;
}

base::Result<Certificate> read_certificate(const std::string& file, std::string_view pem) {
  const auto certificate = certificate_of(pem);
  if (!certificate) {
    return base::Problem{{file, 0, 0},
                         "there is no certificate in it",
                         "it takes PEM text, from -----BEGIN CERTIFICATE----- on"};
  }
  return facts_of(certificate.get());
}

std::string validity_trouble(const Certificate& certificate, base::UnixSeconds now) {
  const std::string which = "certificate " + certificate.subject;
  if (now > certificate.not_after) return which + " expired on " + day_of(certificate.not_after);
  if (now < certificate.not_before) {
    return which + " is valid only from " + day_of(certificate.not_before) +
           " on, and the clock here says " + day_of(now);
  }
  return "";
}

std::optional<base::Problem> key_trouble(const std::string& file, std::string_view key_pem,
                                         std::string_view certificate_pem) {
  bool encrypted = false;
  const auto bio = reader_of(key_pem);
  const Handle<EVP_PKEY> key(
      bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, no_passphrase, &encrypted) : nullptr);
  ERR_clear_error();
  const auto problem = [&file](std::string message, std::string remedy) {
    return base::Problem{{file, 0, 0}, std::move(message), std::move(remedy)};
  };
  if (encrypted) {
    return problem("this key wants a passphrase, and no unit can ask for one",
                   "`openssl pkey -in FILE -out FILE` takes it off");
  }
  if (!key) {
    return problem("there is no private key in it",
                   "it takes PEM text, from -----BEGIN PRIVATE KEY----- on");
  }
  const auto certificate = certificate_of(certificate_pem);
  const bool fits = !certificate || X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (fits) return std::nullopt;
  return problem("this key is not the one of the certificate beside it",
                 "put the two that belong together there");
}

}  // namespace pki
