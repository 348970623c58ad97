// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_pki.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509v3.h>

#include <array>
#include <cstddef>
#include <ctime>
#include <stdexcept>

namespace support {
namespace {

struct Release {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_CRL* list) const { X509_CRL_free(list); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(PKCS12* bundle) const { PKCS12_free(bundle); }
};
template <typename T>
using Handle = std::unique_ptr<T, Release>;

template <typename Write>
std::string text_of(Write write) {
  const Handle<BIO> bio(BIO_new(BIO_s_mem()));
  if (write(bio.get()) != 1) throw std::runtime_error("OpenSSL does not write");
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Handle<BIO> reader_of(const std::string& text) {
  return Handle<BIO>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string pem_of(EVP_PKEY* key) {
  return text_of([key](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

std::string pem_of(X509* certificate) {
  return text_of([certificate](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string fingerprint_of(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  X509_digest(certificate, EVP_sha256(), bytes.data(), &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    constexpr char kDigits[] = "0123456789ABCDEF";
    if (i > 0) text += ':';
    text += {kDigits[bytes[i] >> 4], kDigits[bytes[i] & 15]};
  }
  return text;
}

void add_extension(X509* certificate, int nid, const std::string& value) {
  if (value.empty()) return;
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

void name(X509_NAME* to, const std::string& common_name) {
  const auto add = [to](const char* field, const std::string& value) {
    X509_NAME_add_entry_by_txt(to, field, MBSTRING_UTF8,
                               reinterpret_cast<const unsigned char*>(value.c_str()), -1, -1, 0);
  };
  add("O", "Test");
  add("CN", common_name);
}

// As text: a library that was built with a time_t of 32 bits would not understand ours.
void set_time(ASN1_TIME* time, base::UnixSeconds seconds) {
  const auto at = static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&at, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d%H%M%SZ", &parts);
  if (ASN1_TIME_set_string_X509(time, text) != 1) throw std::runtime_error("OpenSSL takes no time");
}

Handle<EVP_PKEY> key_for(const CertificateWish& wish) {
  return Handle<EVP_PKEY>(wish.rsa_bits > 0 ? EVP_RSA_gen(wish.rsa_bits) : EVP_EC_gen("P-256"));
}

Handle<X509> make(const CertificateWish& wish, EVP_PKEY* key, X509* issuer, EVP_PKEY* signer) {
  Handle<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), wish.serial);
  set_time(X509_getm_notBefore(certificate.get()), wish.from);
  set_time(X509_getm_notAfter(certificate.get()), wish.until);
  name(X509_get_subject_name(certificate.get()), wish.common_name);
  X509_set_issuer_name(certificate.get(),
                       X509_get_subject_name(issuer == nullptr ? certificate.get() : issuer));
  X509_set_pubkey(certificate.get(), key);
  add_extension(certificate.get(), NID_basic_constraints,
                wish.authority ? "critical,CA:TRUE" : "CA:FALSE");
  add_extension(certificate.get(), NID_key_usage, wish.key_usage);
  add_extension(certificate.get(), NID_ext_key_usage, wish.extended_key_usage);
  X509_sign(certificate.get(), signer, EVP_get_digestbyname(wish.digest));
  return certificate;
}

}  // namespace

struct TestPki::Impl {
  Handle<EVP_PKEY> key;
  Handle<X509> certificate;
};

TestPki::TestPki(const std::string& name) : impl_(std::make_unique<Impl>()) {
  impl_->key.reset(EVP_EC_gen("P-256"));
  CertificateWish wish{.common_name = name, .key_usage = "keyCertSign,cRLSign"};
  wish.authority = true;
  wish.serial = 1;
  wish.from = kTestNow - 10 * 86400;
  wish.until = kTestNow + 10 * 86400;
  impl_->certificate = make(wish, impl_->key.get(), nullptr, impl_->key.get());
  ca_ = pem_of(impl_->certificate.get());
}

TestPki::TestPki(TestPki&&) noexcept = default;
TestPki::~TestPki() = default;

Identity TestPki::issue(const CertificateWish& wish) const {
  const Handle<EVP_PKEY> key = key_for(wish);
  const auto certificate = make(wish, key.get(), impl_->certificate.get(), impl_->key.get());
  return {pem_of(certificate.get()), pem_of(key.get()), fingerprint_of(certificate.get())};
}

Identity TestPki::self_signed(const CertificateWish& wish) const {
  const Handle<EVP_PKEY> key = key_for(wish);
  const auto certificate = make(wish, key.get(), nullptr, key.get());
  return {pem_of(certificate.get()), pem_of(key.get()), fingerprint_of(certificate.get())};
}

std::string TestPki::revoke(long serial, base::UnixSeconds next_update) const {
  const Handle<X509_CRL> list(X509_CRL_new());
  X509_CRL_set_version(list.get(), 1);
  X509_CRL_set_issuer_name(list.get(), X509_get_subject_name(impl_->certificate.get()));
  ASN1_TIME* time = ASN1_TIME_new();
  set_time(time, kTestNow - 3600);
  X509_CRL_set1_lastUpdate(list.get(), time);
  X509_REVOKED* revoked = X509_REVOKED_new();
  ASN1_INTEGER* number = ASN1_INTEGER_new();
  ASN1_INTEGER_set(number, serial);
  X509_REVOKED_set_serialNumber(revoked, number);
  X509_REVOKED_set_revocationDate(revoked, time);
  X509_CRL_add0_revoked(list.get(), revoked);
  set_time(time, next_update);
  X509_CRL_set1_nextUpdate(list.get(), time);
  ASN1_INTEGER_free(number);
  ASN1_TIME_free(time);
  X509_CRL_sign(list.get(), impl_->key.get(), EVP_sha256());
  return text_of([&list](BIO* bio) { return PEM_write_bio_X509_CRL(bio, list.get()); });
}

std::string TestPki::encrypted(const std::string& key, const std::string& passphrase) {
  const Handle<BIO> bio = reader_of(key);
  const Handle<EVP_PKEY> read(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  return text_of([&](BIO* to) {
    return PEM_write_bio_PKCS8PrivateKey(to, read.get(), EVP_aes_256_cbc(), passphrase.data(),
                                         static_cast<int>(passphrase.size()), nullptr, nullptr);
  });
}

std::string TestPki::bundle(const Identity& identity, const std::string& passphrase) const {
  const Handle<BIO> key_bio = reader_of(identity.key), bio = reader_of(identity.certificate);
  const Handle<EVP_PKEY> key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, nullptr, nullptr));
  const Handle<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
  STACK_OF(X509)* others = sk_X509_new_null();
  sk_X509_push(others, impl_->certificate.get());
  const Handle<PKCS12> made(PKCS12_create(passphrase.c_str(), "test", key.get(), certificate.get(),
                                          others, 0, 0, 0, 0, 0));
  sk_X509_free(others);
  return text_of([&made](BIO* to) { return i2d_PKCS12_bio(to, made.get()); });
}

const SharedPki& shared_pki() {
  static const SharedPki shared = [] {
    SharedPki made;
    made.server = made.pki.issue({.common_name = "server", .extended_key_usage = "serverAuth"});
    made.client =
        made.pki.issue({.common_name = "client", .extended_key_usage = "clientAuth", .serial = 3});
    return made;
  }();
  return shared;
}

}  // namespace support
