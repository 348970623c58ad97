// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <openssl/types.h>

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/secret_bytes.h"
#include "base/time.h"
#include "fastpath/crypto/tls_context.h"

namespace crypto {

struct TlsRelease {
  void operator()(SSL* session) const;
};

// One TLS connection whose wire is two buffers. Used by one thread.
class TlsSession {
 public:
  // `now`: what the validity of certificates is measured by.
  TlsSession(const TlsContext& context, base::UnixSeconds now);

  void feed(base::ByteSpan bytes);  // what the peer sent, cut anywhere
  // Goes on with the handshake; false: TLS failed, see failure(). What there is to send (an alert
  // too) is in take_output().
  bool advance();
  bool established() const { return established_; }
  std::size_t output_bytes() const;
  std::size_t take_output(base::MutableByteSpan out);

  // What one record of the peer held; nothing: no whole record is there, or TLS failed.
  std::optional<base::SecretBytes> read();
  bool write(base::ByteSpan message);  // as one record, once established

  // RFC 5705, without a context. False only if the library fails.
  [[nodiscard]] bool export_keys(std::string_view label, base::MutableByteSpan out);

  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }  // one line; see tls_failure.h
  // Whether it is about the certificate of either end.
  bool failed_at_certificate() const { return failed_at_certificate_; }
  std::string peer_name() const;  // x509-username-field; empty: none
  std::string peer_subject() const;
  std::string description() const;  // "TLSv1.3, TLS_AES_256_GCM_SHA384, X25519"

 private:
  friend int verify_certificate(int ok, X509_STORE_CTX* store);
  bool check_certificate(bool ok, X509_STORE_CTX* store);
  bool refuse(std::string why, int error, X509_STORE_CTX* store);
  void fail(std::string why);
  void fail_by_library();

  const TlsContext& context_;
  const base::UnixSeconds now_;
  std::unique_ptr<SSL, TlsRelease> session_;
  BIO* input_ = nullptr;  // both belong to session_
  BIO* output_ = nullptr;
  bool established_ = false;
  bool leaf_checked_ = false;
  bool failed_at_certificate_ = false;
  std::string failure_;
};

// OpenSSL's verify callback of all our contexts.
int verify_certificate(int ok, X509_STORE_CTX* store);

}  // namespace crypto
