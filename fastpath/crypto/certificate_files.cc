// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/certificate_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/ssl.h>

#include "base/base64.h"
#include "base/error.h"

namespace crypto {

void CertificateRelease::operator()(X509* certificate) const { X509_free(certificate); }
void KeyRelease::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

namespace {

struct Release {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509_CRL* crl) const { X509_CRL_free(crl); }
  void operator()(PKCS12* bundle) const { PKCS12_free(bundle); }
  void operator()(STACK_OF(X509) * chain) const { sk_X509_pop_free(chain, X509_free); }
};
using BioHandle = std::unique_ptr<BIO, Release>;

BioHandle reader_of(const std::string& text) {
  return BioHandle(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

[[noreturn]] void refuse(const config::ConfigFile& file, const std::string& why) {
  const char* reason = ERR_reason_error_string(ERR_peek_last_error());
  const std::string detail = reason == nullptr ? "" : " (OpenSSL: " + std::string(reason) + ")";
  ERR_clear_error();
  throw base::FatalError(file.shown() + ": " + why + detail, kExitConfig);
}

CertificateHandle next_certificate(BIO* bio, Library& library) {
  X509* certificate = X509_new_ex(library.context(), nullptr);
  if (PEM_read_bio_X509(bio, &certificate, nullptr, nullptr) == nullptr) {
    X509_free(certificate);
    return nullptr;
  }
  return CertificateHandle(certificate);
}

int give_passphrase(char* buffer, int size, int, void* passphrase) {
  const auto& text = *static_cast<const std::string*>(passphrase);
  if (text.empty() || static_cast<int>(text.size()) > size) return -1;
  text.copy(buffer, text.size());
  return static_cast<int>(text.size());
}

KeyHandle read_key(const config::CertificateConfig& config, Library& library) {
  auto* passphrase = const_cast<std::string*>(&config.passphrase);
  for (const bool with_legacy : {false, true}) {
    // Old keys are encrypted with what only the legacy provider has.
    if (with_legacy && !library.load_legacy()) break;
    const BioHandle bio = reader_of(config.key.text);
    KeyHandle key(PEM_read_bio_PrivateKey_ex(bio.get(), nullptr, give_passphrase, passphrase,
                                             library.context(), nullptr));
    if (key) {
      ERR_clear_error();
      return key;
    }
  }
  if (config.key.text.find("ENCRYPTED") == std::string::npos) {
    refuse(config.key, "holds no private key that can be read; it should be PEM");
  }
  refuse(config.key, config.passphrase.empty()
                         ? "the private key is encrypted; write askpass FILE, a file whose first "
                           "line is its passphrase"
                         : "the private key does not open; is the passphrase of askpass right?");
}

void use_key(SSL_CTX* context, const KeyHandle& key, const config::ConfigFile& file) {
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    refuse(
        file,
        "the private key does not belong to the certificate in cert; put the two there that belong "
        "together");
  }
}

void use_certificate_file(SSL_CTX* context, Library& library, const config::ConfigFile& file) {
  const BioHandle bio = reader_of(file.text);
  const CertificateHandle own = next_certificate(bio.get(), library);
  if (!own) refuse(file, "holds no certificate; it should be PEM, -----BEGIN CERTIFICATE-----");
  if (SSL_CTX_use_certificate(context, own.get()) != 1) {
    refuse(file,
           "this certificate may not be used; one with an RSA key of 2048 bits or an EC key "
           "and SHA-256 may");
  }
  while (const CertificateHandle next = next_certificate(bio.get(), library)) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) {
      refuse(file, "a certificate behind the first is refused; take it out, or have it renewed");
    }
  }
  ERR_clear_error();
}

// A PKCS#12 bundle, opened.
struct Bundle {
  KeyHandle key;
  CertificateHandle certificate;
  std::unique_ptr<STACK_OF(X509), Release> others;
};

bool open_bundle(const std::string& bytes, const std::string& passphrase, Library& library,
                 Bundle& bundle) {
  const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
  PKCS12* read = PKCS12_init_ex(NID_pkcs7_data, library.context(), nullptr);
  const std::unique_ptr<PKCS12, Release> held(
      d2i_PKCS12(&read, &at, static_cast<long>(bytes.size())));
  if (!held) return false;
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* others = nullptr;
  const bool opened =
      PKCS12_parse(held.get(), passphrase.c_str(), &key, &certificate, &others) == 1;
  bundle.key.reset(key);
  bundle.certificate.reset(certificate);
  bundle.others.reset(others);
  return opened && key != nullptr && certificate != nullptr;
}

void use_bundle(SSL_CTX* context, Library& library, const config::CertificateConfig& config) {
  const config::ConfigFile& file = config.pkcs12;
  std::string bytes = file.text;
  if (file.name == "[inline]") {
    const auto decoded = base::from_base64(bytes);
    if (!decoded)
      refuse(file, "pkcs12 written inline must be base64; `openssl base64 -in FILE` makes it so");
    bytes.assign(decoded->begin(), decoded->end());
  }
  Bundle bundle;
  if (!open_bundle(bytes, config.passphrase, library, bundle) &&
      !(library.load_legacy() && open_bundle(bytes, config.passphrase, library, bundle))) {
    refuse(file, config.passphrase.empty()
                     ? "this PKCS#12 file does not open without a passphrase; write askpass FILE"
                     : "this PKCS#12 file does not open; is the passphrase of askpass right?");
  }
  if (SSL_CTX_use_certificate(context, bundle.certificate.get()) != 1) {
    refuse(file,
           "its certificate may not be used; one with an RSA key of 2048 bits or an EC key and "
           "SHA-256 may");
  }
  use_key(context, bundle.key, file);
  const int count = bundle.others ? sk_X509_num(bundle.others.get()) : 0;
  for (int i = 0; i < count; ++i) {
    X509* other = sk_X509_value(bundle.others.get(), i);
    // Without a ca line of its own, the bundle also says whom to trust.
    const bool added = config.ca.given()
                           ? SSL_CTX_add1_chain_cert(context, other) == 1
                           : X509_STORE_add_cert(SSL_CTX_get_cert_store(context), other) == 1;
    if (!added) refuse(file, "a certificate in it is refused");
  }
}

void use_ca_file(SSL_CTX* context, Library& library, const config::ConfigFile& file, bool server) {
  const BioHandle bio = reader_of(file.text);
  int count = 0;
  while (const CertificateHandle ca = next_certificate(bio.get(), library)) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca.get()) != 1 ||
        (server && SSL_CTX_add_client_CA(context, ca.get()) != 1)) {
      refuse(file, "certificate " + std::to_string(count + 1) +
                       " in it is refused; take it out, or copy the file again");
    }
    ++count;
  }
  if (count == 0)
    refuse(file, "holds no certificate; ca should be PEM, -----BEGIN CERTIFICATE-----");
  ERR_clear_error();
}

void use_crl_file(SSL_CTX* context, Library& library, const config::ConfigFile& file) {
  const BioHandle bio = reader_of(file.text);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  for (;; ++count) {
    X509_CRL* crl = X509_CRL_new_ex(library.context(), nullptr);
    if (PEM_read_bio_X509_CRL(bio.get(), &crl, nullptr, nullptr) == nullptr) {
      X509_CRL_free(crl);
      break;
    }
    const std::unique_ptr<X509_CRL, Release> held(crl);
    if (X509_STORE_add_crl(store, crl) != 1) refuse(file, "a revocation list in it is refused");
  }
  if (count == 0)
    refuse(file, "holds no revocation list; it should be PEM, -----BEGIN X509 CRL-----");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  ERR_clear_error();
}

}  // namespace

void use_own_certificate(SSL_CTX* context, Library& library,
                         const config::CertificateConfig& config) {
  if (config.pkcs12.given()) use_bundle(context, library, config);
  if (config.cert.given()) {
    use_certificate_file(context, library, config.cert);
    use_key(context, read_key(config, library), config.key);
  }
  if (!config.extra_certs.given()) return;
  const BioHandle bio = reader_of(config.extra_certs.text);
  while (const CertificateHandle next = next_certificate(bio.get(), library)) {
    if (SSL_CTX_add1_chain_cert(context, next.get()) != 1) {
      refuse(config.extra_certs, "a certificate in it is refused");
    }
  }
  ERR_clear_error();
}

void use_authorities(SSL_CTX* context, Library& library, const config::CertificateConfig& config,
                     bool server) {
  if (config.ca.given()) use_ca_file(context, library, config.ca, server);
  if (!config.ca_path.empty() &&
      X509_STORE_load_path(SSL_CTX_get_cert_store(context), config.ca_path.c_str()) != 1) {
    throw base::FatalError("capath " + config.ca_path + " cannot be used", kExitConfig);
  }
  if (config.crl.given()) use_crl_file(context, library, config.crl);
}

void use_dh_parameters(SSL_CTX* context, Library& library, const config::ConfigFile& file) {
  if (!file.given() || file.name == "none") return;
  const BioHandle bio = reader_of(file.text);
  EVP_PKEY* parameters = PEM_read_bio_Parameters_ex(bio.get(), nullptr, library.context(), nullptr);
  if (parameters == nullptr || SSL_CTX_set0_tmp_dh_pkey(context, parameters) != 1) {
    EVP_PKEY_free(parameters);
    refuse(file, "holds no Diffie-Hellman parameters that may be used; write dh none");
  }
}

}  // namespace crypto
