// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/valid_from.h"

#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fastpath/crypto/certificate_files.h"

namespace crypto {
namespace {

struct BioRelease {
  void operator()(BIO* bio) const { BIO_free(bio); }
};

// Without OpenSSL's functions that take a time_t, which may have 32 bits there.
std::optional<base::UnixSeconds> seconds_of(const ASN1_TIME* time) {
  struct tm parts {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  using namespace std::chrono;
  const year_month_day date(year(parts.tm_year + 1900),
                            month(static_cast<unsigned>(parts.tm_mon + 1)),
                            day(static_cast<unsigned>(parts.tm_mday)));
  const sys_seconds at =
      sys_days(date) + hours(parts.tm_hour) + minutes(parts.tm_min) + seconds(parts.tm_sec);
  return at.time_since_epoch().count();
}

std::vector<base::UnixSeconds> starts_in(const std::string& pem) {
  const std::unique_ptr<BIO, BioRelease> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  std::vector<base::UnixSeconds> starts;
  while (bio) {
    const CertificateHandle certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (!certificate) break;
    const auto start = seconds_of(X509_get0_notBefore(certificate.get()));
    if (start) starts.push_back(*start);
  }
  ERR_clear_error();
  return starts;
}

}  // namespace

std::optional<base::UnixSeconds> valid_from(const config::CertificateConfig& config) {
  const auto own = starts_in(config.cert.text);
  // Any of them may be the one that counts: a successor lies beside its predecessor early.
  const auto trusted = starts_in(config.ca.text);
  std::optional<base::UnixSeconds> from;
  if (!own.empty()) from = own.front();
  if (!trusted.empty()) {
    const base::UnixSeconds first = *std::ranges::min_element(trusted);
    from = std::max(from.value_or(first), first);
  }
  return from;
}

}  // namespace crypto
