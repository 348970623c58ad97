// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/tls_session.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "fastpath/crypto/certificate_rules.h"
#include "fastpath/crypto/tls_failure.h"

namespace crypto {
namespace {

constexpr std::size_t kRecordBytesMax = 16 * 1024;

}  // namespace

void TlsRelease::operator()(SSL* session) const { SSL_free(session); }

TlsSession::TlsSession(const TlsContext& context, base::UnixSeconds now)
    : context_(context), now_(now), session_(SSL_new(context.handle())) {
  input_ = BIO_new(BIO_s_mem());
  output_ = BIO_new(BIO_s_mem());
  if (!session_ || input_ == nullptr || output_ == nullptr) {
    throw base::FatalError("OpenSSL cannot make a TLS session: out of memory?");
  }
  BIO_set_mem_eof_return(input_, -1);
  SSL_set_bio(session_.get(), input_, output_);
  SSL_set_app_data(session_.get(), this);
  // Times are checked in check_certificate(), by the clock that was handed in.
  X509_VERIFY_PARAM_set_flags(SSL_get0_param(session_.get()), X509_V_FLAG_NO_CHECK_TIME);
  if (context.role() == config::TlsRole::kServer) {
    SSL_set_accept_state(session_.get());
  } else {
    SSL_set_connect_state(session_.get());
  }
}

void TlsSession::feed(base::ByteSpan bytes) {
  if (!failed()) BIO_write(input_, bytes.data(), static_cast<int>(bytes.size()));
}

void TlsSession::fail(std::string why) {
  ERR_clear_error();
  if (failure_.empty()) failure_ = harmless(std::move(why));
}

void TlsSession::fail_by_library() {
  if (!failed()) failed_at_certificate_ = is_certificate_trouble();
  fail(handshake_trouble());
}

bool TlsSession::advance() {
  if (failed()) return false;
  if (established_) return true;
  ERR_clear_error();
  const int result = SSL_do_handshake(session_.get());
  if (result == 1) {
    if (!leaf_checked_) {
      fail("the peer's certificate was not checked, so it is not trusted");
      return false;
    }
    established_ = true;
    return true;
  }
  const int error = SSL_get_error(session_.get(), result);
  if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) return true;
  fail_by_library();
  return false;
}

std::size_t TlsSession::output_bytes() const { return BIO_ctrl_pending(output_); }

std::size_t TlsSession::take_output(base::MutableByteSpan out) {
  const int taken = BIO_read(output_, out.data(), static_cast<int>(out.size()));
  return taken > 0 ? static_cast<std::size_t>(taken) : 0;
}

std::optional<base::SecretBytes> TlsSession::read() {
  if (!established_ || failed()) return std::nullopt;
  base::SecretBytes record(kRecordBytesMax);
  ERR_clear_error();
  const int size = SSL_read(session_.get(), record.mutable_view().data(), kRecordBytesMax);
  if (size > 0) {
    return base::SecretBytes(record.view().first(static_cast<std::size_t>(size)));
  }
  const int error = SSL_get_error(session_.get(), size);
  if (error == SSL_ERROR_ZERO_RETURN) {
    fail("the peer closed the TLS session");
  } else if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
    fail_by_library();
  }
  return std::nullopt;
}

bool TlsSession::write(base::ByteSpan message) {
  if (!established_ || failed() || message.empty()) return false;
  ERR_clear_error();
  const int size = static_cast<int>(message.size());
  if (SSL_write(session_.get(), message.data(), size) == size) return true;
  fail_by_library();
  return false;
}

bool TlsSession::export_keys(std::string_view label, base::MutableByteSpan out) {
  return SSL_export_keying_material(session_.get(), out.data(), out.size(), label.data(),
                                    label.size(), nullptr, 0, 0) == 1;
}

std::string TlsSession::peer_name() const {
  X509* certificate = SSL_get0_peer_certificate(session_.get());
  return certificate == nullptr ? "" : harmless(username_of(context_.config(), certificate));
}

std::string TlsSession::peer_subject() const {
  const X509* certificate = SSL_get0_peer_certificate(session_.get());
  return certificate == nullptr ? "" : subject_of(certificate);
}

std::string TlsSession::description() const {
  return std::string(SSL_get_version(session_.get())) + ", " + SSL_get_cipher_name(session_.get());
}

bool TlsSession::check_certificate(bool ok, X509_STORE_CTX* store) {
  const int depth = X509_STORE_CTX_get_error_depth(store);
  if (!ok && X509_STORE_CTX_get_error(store) == X509_V_ERR_UNABLE_TO_GET_CRL) {
    return true;  // OpenVPN protocol: a CA without a list in the file revokes nobody
  }
  if (!ok && !context_.trusts_fingerprint_only()) {
    fail(chain_trouble(store));
    failed_at_certificate_ = true;
    return false;
  }
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (certificate == nullptr) return ok;
  const std::string whose = depth == 0 ? "the peer's certificate" : "the peer's CA certificate";
  if (!context_.trusts_fingerprint_only()) {
    std::string trouble = validity_trouble(certificate, now_, whose);
    if (trouble.empty()) trouble = list_trouble(store, certificate, now_);
    if (!trouble.empty()) return refuse(std::move(trouble), X509_V_ERR_CERT_HAS_EXPIRED, store);
  }
  const std::string why = broken_rule(context_, certificate, depth);
  if (!why.empty()) {
    return refuse(whose + " (" + subject_of(certificate) + ") is refused: " + why,
                  X509_V_ERR_CERT_REJECTED, store);
  }
  leaf_checked_ |= depth == 0;
  return true;
}

bool TlsSession::refuse(std::string why, int error, X509_STORE_CTX* store) {
  fail(std::move(why));
  failed_at_certificate_ = true;
  X509_STORE_CTX_set_error(store, error);  // which becomes the alert that the peer is sent
  return false;
}

int verify_certificate(int ok, X509_STORE_CTX* store) {
  auto* session =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* self = static_cast<TlsSession*>(SSL_get_app_data(session));
  return self->check_certificate(ok == 1, store) ? 1 : 0;
}

}  // namespace crypto
