// SPDX-License-Identifier: Apache-2.0
#include "supervisor/pki/make.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "supervisor/pki/certificate.h"
#include "supervisor/pki/handles.h"

namespace pki {
namespace {

constexpr int kSerialBits = 127;  // positive in at most 16 bytes
constexpr const char* kNotBefore = "20000101000000Z";
constexpr const char* kNotAfter = "99991231235959Z";

[[noreturn]] void fail(const char* what) {
  ERR_clear_error();
  throw base::FatalError(std::string("OpenSSL cannot ") + what + "; is libcrypto3 whole?");
}

bool add_extension(X509* certificate, int kind, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Handle<X509_EXTENSION> extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_serial(X509* certificate) {
  const Handle<BIGNUM> serial(BN_new());
  return serial && BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_name(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(name.data());
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text,
                                    static_cast<int>(name.size()), -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1;
}

// Good for both ends of TLS: which one this is the site says.
bool fill(X509* certificate, EVP_PKEY* key, const std::string& name) {
  return X509_set_version(certificate, X509_VERSION_3) == 1 && set_serial(certificate) &&
         set_name(certificate, name) &&
         ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), kNotBefore) == 1 &&
         ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), kNotAfter) == 1 &&
         X509_set_pubkey(certificate, key) == 1 &&
         add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
         add_extension(certificate, NID_ext_key_usage, "serverAuth,clientAuth") &&
         add_extension(certificate, NID_subject_key_identifier, "hash") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

std::string make_key() {
  const Handle<EVP_PKEY> key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  const Handle<BIO> bio(BIO_new(BIO_s_secmem()));
  if (!key || !bio ||
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    fail("make a key");
  }
  return written_to(bio.get());
}

base::Result<std::string> make_certificate(const std::string& key_file, std::string_view key_pem,
                                           const std::string& name) {
  if (auto trouble = key_trouble(key_file, key_pem, "")) return *trouble;
  const Handle<BIO> reader(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const Handle<EVP_PKEY> key(
      reader ? PEM_read_bio_PrivateKey(reader.get(), nullptr, nullptr, nullptr) : nullptr);
  const Handle<X509> certificate(X509_new());
  const Handle<BIO> bio(BIO_new(BIO_s_mem()));
  if (!key || !certificate || !bio || !fill(certificate.get(), key.get(), name) ||
      PEM_write_bio_X509(bio.get(), certificate.get()) != 1) {
    ERR_clear_error();
    return base::Problem{{key_file, 0, 0},
                         "no certificate can be made for this key",
                         "move it away; a new one is made in its place"};
  }
  return written_to(bio.get());
}

}  // namespace pki
