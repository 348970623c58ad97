// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/tls_identity.h"

#include "base/wipe.h"
#include "supervisor/pki/certificate.h"
#include "supervisor/pki/make.h"

namespace cli {
namespace {

constexpr mode_t kKeyMode = 0600;
constexpr mode_t kCertificateMode = 0644;

class IdentityMaker {
 public:
  IdentityMaker(Context& context, const IdentityWish& wish) : context_(context), wish_(wish) {}
  ~IdentityMaker() { base::wipe(key_); }

  base::Result<TlsIdentity> make() {
    const bool has_key = is_there(wish_.key_path), has_cert = is_there(wish_.cert_path);
    if (has_cert && !has_key) {
      return base::Problem{{},
                           wish_.cert_path + " is there without its key " + wish_.key_path,
                           "put the key there, or move the certificate away"};
    }
    if (auto problem = has_key ? read_key() : make_key()) return *problem;
    if (auto problem = has_cert ? read_certificate() : make_certificate()) return *problem;
    const auto certificate = pki::read_certificate(wish_.cert_path, certificate_);
    if (!certificate) return certificate.error();
    if (auto trouble = pki::key_trouble(wish_.key_path, key_, certificate_)) return *trouble;
    identity_.fingerprint = certificate->fingerprint;
    return std::move(identity_);
  }

 private:
  bool is_there(const std::string& path) {
    return !wish_.anew && context_.files().status(path).has_value();
  }

  std::optional<base::Problem> read_key() {
    auto bytes = context_.files().read(wish_.key_path);
    if (!bytes) return bytes.error();
    key_ = std::move(bytes).value();
    return std::nullopt;
  }

  std::optional<base::Problem> make_key() {
    key_ = pki::make_key();
    identity_.files.push_back({wish_.key_path, key_, kKeyMode, true});
    return std::nullopt;
  }

  std::optional<base::Problem> read_certificate() {
    auto bytes = context_.files().read(wish_.cert_path);
    if (!bytes) return bytes.error();
    certificate_ = std::move(bytes).value();
    return std::nullopt;
  }

  std::optional<base::Problem> make_certificate() {
    auto made = pki::make_certificate(wish_.key_path, key_, wish_.name);
    if (!made) return made.error();
    certificate_ = std::move(made).value();
    identity_.files.push_back({wish_.cert_path, certificate_, kCertificateMode, false});
    return std::nullopt;
  }

  Context& context_;
  const IdentityWish& wish_;
  std::string key_, certificate_;
  TlsIdentity identity_;
};

}  // namespace

base::Result<TlsIdentity> tls_identity(Context& context, const IdentityWish& wish) {
  return IdentityMaker(context, wish).make();
}

}  // namespace cli
