// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/tls_failure.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>

#include "fastpath/crypto/certificate_rules.h"

namespace crypto {
namespace {

// OpenSSL's functions that take a time_t are avoided: on armhf a library may have been built with
// one of 32 bits, and this program has one of 64.
std::string date_of(const ASN1_TIME* time) {
  struct tm parts {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unreadable date";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

struct TimeRelease {
  void operator()(ASN1_TIME* time) const { ASN1_TIME_free(time); }
};
using TimeHandle = std::unique_ptr<ASN1_TIME, TimeRelease>;

TimeHandle time_of(base::UnixSeconds seconds) {
  const std::chrono::sys_seconds at{std::chrono::seconds(seconds)};
  const auto midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss hours(at - midnight);
  const std::string text =
      fmt::format("{:04}{:02}{:02}{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  hours.hours().count(), hours.minutes().count(), hours.seconds().count());
  TimeHandle time(ASN1_TIME_new());
  if (!time || ASN1_TIME_set_string(time.get(), text.c_str()) != 1) return nullptr;
  return time;
}

struct Alert {
  int reason;
  const char* text;
};

constexpr int kOfCertificates[] = {
    SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,     SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
    SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,         SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
    SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
    SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,   SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE,
};

// What the far end says about us, and what there is to be done.
constexpr Alert kAlerts[] = {
    {SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
     "the peer refused our certificate as expired; renew it, or set the peer's clock"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
     "the peer refused our certificate as revoked; renew it"},
    {SSL_R_SSLV3_ALERT_BAD_CERTIFICATE,
     "the peer refused our certificate; its log says why (peer-fingerprint there?)"},
    {SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
     "the peer refused our certificate; its log says why (peer-fingerprint there?)"},
    {SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE,
     "the peer refused our certificate as one of the wrong kind; see its extendedKeyUsage"},
    {SSL_R_TLSV1_ALERT_UNKNOWN_CA,
     "the peer does not know who signed our certificate; its ca must hold that one"},
    {SSL_R_TLSV1_ALERT_ACCESS_DENIED, "the peer denies us access"},
    {SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED, "the peer wants a certificate; write cert and key"},
    {SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
     "the peer speaks none of our versions of TLS; see tls-version-min at both ends"},
    {SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
     "the peer found no cipher or certificate in common; see tls-cipher, tls-groups and "
     "tls-version-min at both ends"},
    {SSL_R_UNSUPPORTED_PROTOCOL,
     "the peer speaks only a version of TLS that is refused here; see tls-version-min"},
    {SSL_R_WRONG_VERSION_NUMBER, "the peer does not speak TLS as we do"},
    {SSL_R_NO_SHARED_CIPHER,
     "no TLS cipher in common; see tls-cipher and tls-version-min at both ends"},
    {SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE,
     "the peer sent no certificate; write cert and key there"},
    {SSL_R_EXCESSIVE_MESSAGE_SIZE, "the peer's certificate chain is too long"},
};

}  // namespace

std::string validity_trouble(const X509* certificate, base::UnixSeconds now,
                             const std::string& whose) {
  const TimeHandle at = time_of(now);
  if (!at) return "the clock here shows no usable time; set it";
  const ASN1_TIME* from = X509_get0_notBefore(certificate);
  const ASN1_TIME* until = X509_get0_notAfter(certificate);
  const std::string which = whose + " (" + subject_of(certificate) + ")";
  // -2 is an unreadable date, and that is no valid one.
  if (const int order = ASN1_TIME_compare(from, at.get()); order > 0 || order == -2) {
    return fmt::format("{} is valid only from {} on, and the clock here says {}; set the clock",
                       which, date_of(from), date_of(at.get()));
  }
  if (ASN1_TIME_compare(until, at.get()) < 0) {
    return fmt::format("{} expired on {}, and the clock here says {}; renew it, or set the clock",
                       which, date_of(until), date_of(at.get()));
  }
  return "";
}

std::string list_trouble(X509_STORE_CTX* store, const X509* certificate, base::UnixSeconds now) {
  const TimeHandle at = time_of(now);
  STACK_OF(X509_CRL)* lists = X509_STORE_CTX_get1_crls(store, X509_get_issuer_name(certificate));
  std::string trouble;
  for (int i = 0; at && i < sk_X509_CRL_num(lists); ++i) {
    const ASN1_TIME* next = X509_CRL_get0_nextUpdate(sk_X509_CRL_value(lists, i));
    if (next == nullptr || ASN1_TIME_compare(next, at.get()) > 0) continue;
    trouble = fmt::format(
        "the list of crl-verify expired on {}, and the clock here says {}; "
        "renew it, or set the clock",
        date_of(next), date_of(at.get()));
  }
  sk_X509_CRL_pop_free(lists, X509_CRL_free);
  return trouble;
}

std::string chain_trouble(X509_STORE_CTX* store) {
  const int depth = X509_STORE_CTX_get_error_depth(store);
  const X509* certificate = X509_STORE_CTX_get_current_cert(store);
  const int error = X509_STORE_CTX_get_error(store);
  const std::string whose = depth == 0 ? "the peer's certificate" : "the peer's CA certificate";
  if (certificate == nullptr) return whose + ": " + X509_verify_cert_error_string(error);
  std::string remedy;
  switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      remedy = "; ca must hold the certificate that signed it";
      break;
    case X509_V_ERR_EE_KEY_TOO_SMALL:
    case X509_V_ERR_CA_KEY_TOO_SMALL:
    case X509_V_ERR_CA_MD_TOO_WEAK:
      remedy = "; renew it, or lower tls-cert-profile";
      break;
    default:
      break;
  }
  return fmt::format("{} ({}) is refused: {}{}", whose, subject_of(certificate),
                     X509_verify_cert_error_string(error), remedy);
}

bool is_certificate_trouble() {
  return std::ranges::find(kOfCertificates, ERR_GET_REASON(ERR_peek_last_error())) !=
         std::end(kOfCertificates);
}

std::string handshake_trouble() {
  const unsigned long error = ERR_peek_last_error();
  const int reason = ERR_GET_REASON(error);
  const char* text = ERR_reason_error_string(error);
  std::string detail = text == nullptr ? "unknown reason" : text;
  ERR_clear_error();
  for (const Alert& alert : kAlerts) {
    if (alert.reason == reason) return alert.text;
  }
  return "TLS failed: " + detail;
}

}  // namespace crypto
