// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "fastpath/crypto/certificate_files.h"
#include "fastpath/crypto/certificate_rules.h"
#include "fastpath/crypto/tls_failure.h"
#include "fastpath/crypto/tls_session.h"

namespace crypto {

void TlsContextRelease::operator()(SSL_CTX* context) const { SSL_CTX_free(context); }

namespace {

// OpenVPN protocol: defaults of tls-cipher in 2.6; no key exchange without forward secrecy.
constexpr const char* kDefaultCiphers =
    "DEFAULT:!EXP:!LOW:!MEDIUM:!kDH:!kECDH:!DSS:!PSK:!SRP:!kRSA";
constexpr int kChainDepthMax = 16;
constexpr long kChainBytesMax = 64 * 1024;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  ERR_clear_error();
  throw base::FatalError(what + "; " + remedy, kExitConfig);
}

int version_of(const std::string& text, const char* directive) {
  if (text.empty()) return 0;
  if (text == "1.0") return TLS1_VERSION;
  if (text == "1.1") return TLS1_1_VERSION;
  if (text == "1.2") return TLS1_2_VERSION;
  if (text == "1.3") return TLS1_3_VERSION;
  refuse(std::string(directive) + " '" + text + "' is no TLS version", "write 1.2 or 1.3");
}

void set_versions(SSL_CTX* context, const config::CertificateConfig& config) {
  const int min = version_of(config.version_min, "tls-version-min");
  const int max = version_of(config.version_max, "tls-version-max");
  if (SSL_CTX_set_min_proto_version(context, min) != 1 ||
      SSL_CTX_set_max_proto_version(context, max) != 1 || (max != 0 && min > max)) {
    refuse("tls-version-min " + config.version_min + " and tls-version-max " + config.version_max +
               " leave no version",
           "leave both out");
  }
}

// OpenVPN protocol: tls-cert-profile. Old versions of TLS are only had at level 0.
void set_profile(SSL_CTX* context, const config::CertificateConfig& config) {
  const bool old_tls = config.version_min == "1.0" || config.version_min == "1.1";
  int level = 1;
  if (config.profile == "preferred" || config.profile == "suiteb") level = 2;
  if (config.profile == "insecure" || old_tls) level = 0;
  SSL_CTX_set_security_level(context, level);
}

// Names as IANA writes them, with dashes, are what OpenVPN's configs often hold.
std::string openssl_cipher_name(SSL_CTX* context, std::string_view name) {
  if (!name.starts_with("TLS-")) return std::string(name);
  std::string standard(name);
  std::ranges::replace(standard, '-', '_');
  const STACK_OF(SSL_CIPHER)* ciphers = SSL_CTX_get_ciphers(context);
  for (int i = 0; i < sk_SSL_CIPHER_num(ciphers); ++i) {
    const SSL_CIPHER* cipher = sk_SSL_CIPHER_value(ciphers, i);
    const char* its_name = SSL_CIPHER_standard_name(cipher);
    if (its_name != nullptr && standard == its_name) return SSL_CIPHER_get_name(cipher);
  }
  return std::string(name);
}

void set_ciphers(SSL_CTX* context, const config::CertificateConfig& config) {
  std::string list = kDefaultCiphers;
  if (config.profile == "suiteb") list = "SUITEB128";
  if (!config.ciphers.empty()) {
    list.clear();
    SSL_CTX_set_cipher_list(context, "ALL");
    for (const std::string_view name : base::split(config.ciphers, ':')) {
      list += (list.empty() ? "" : ":") + openssl_cipher_name(context, name);
    }
  }
  if (SSL_CTX_set_cipher_list(context, list.c_str()) != 1) {
    refuse("tls-cipher '" + config.ciphers + "' names nothing that OpenSSL has",
           "leave tls-cipher out");
  }
  std::string suites = config.ciphersuites;
  std::ranges::replace(suites, '-', '_');
  if (!suites.empty() && SSL_CTX_set_ciphersuites(context, suites.c_str()) != 1) {
    refuse("tls-ciphersuites '" + config.ciphersuites + "' names nothing that OpenSSL has",
           "leave tls-ciphersuites out");
  }
  if (!config.groups.empty() && SSL_CTX_set1_groups_list(context, config.groups.c_str()) != 1) {
    refuse("tls-groups '" + config.groups + "' names a group that OpenSSL does not have",
           "leave tls-groups out");
  }
}

void set_limits(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify_depth(context, kChainDepthMax);
  SSL_CTX_set_max_cert_list(context, kChainBytesMax);
}

}  // namespace

TlsContext::TlsContext(Library& library, const config::CertificateConfig& config,
                       config::TlsRole role, FindFile find_file)
    : library_(library), config_(config), role_(role), find_file_(std::move(find_file)) {
  const bool server = role == config::TlsRole::kServer;
  context_.reset(SSL_CTX_new_ex(library.context(), nullptr,
                                server ? TLS_server_method() : TLS_client_method()));
  if (!context_) throw base::FatalError("OpenSSL cannot do TLS; is libssl3 whole?");
  const bool authorities = config.ca.given() || !config.ca_path.empty() || config.pkcs12.given();
  fingerprint_only_ = !authorities && !config.fingerprints.empty();
  if (!authorities && !fingerprint_only_) {
    refuse("there is neither ca nor peer-fingerprint, so nobody could be trusted", "write one");
  }
  if (server && !config.cert.given() && !config.pkcs12.given()) {
    refuse("tls-server needs a certificate of its own", "write cert and key");
  }
  set_profile(context_.get(), config);
  set_versions(context_.get(), config);
  set_ciphers(context_.get(), config);
  set_limits(context_.get());
  use_own_certificate(context_.get(), library, config);
  use_authorities(context_.get(), library, config, server);
  if (server) use_dh_parameters(context_.get(), library, config.dh);
  SSL_CTX_set_verify(context_.get(),
                     SSL_VERIFY_PEER | (server ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
                     verify_certificate);
}

std::string TlsContext::own_certificate_trouble(base::UnixSeconds now) const {
  const X509* own = SSL_CTX_get0_certificate(context_.get());
  return own == nullptr ? "" : validity_trouble(own, now, "this end's own certificate");
}

}  // namespace crypto
