// SPDX-License-Identifier: Apache-2.0
#include "fastpath/proxy/http_digest.h"

#include "base/bytes.h"
#include "base/text.h"
#include "fastpath/crypto/plain_digest.h"

namespace proxy {
namespace {

constexpr const char* kCount = "00000001";  // each nonce is used once

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

bool offers_auth(const std::string& qop) {
  for (const std::string_view each : base::split(qop, ',')) {
    if (base::equals_ignoring_case(base::trim(each), "auth")) return true;
  }
  return false;
}

// Hex digests by one algorithm; empty once the library has refused.
class Hasher {
 public:
  explicit Hasher(const char* name) : name_(name) {}
  std::string operator()(const std::string& text) {
    const auto digest = crypto::plain_digest(name_, base::as_bytes(text));
    if (!digest) failed = true;
    return digest ? base::to_hex(*digest) : std::string();
  }
  bool failed = false;

 private:
  const char* name_;
};

}  // namespace

std::optional<std::string> digest_answer(const Challenge& challenge,
                                         const config::ProxyLogin& login,
                                         const std::string& authority,
                                         const std::string& client_nonce) {
  const std::string algorithm = challenge.option("algorithm");
  std::string kind = base::to_lower(algorithm.empty() ? "MD5" : algorithm);
  const bool session = kind.ends_with("-sess");
  if (session) kind.erase(kind.size() - 5);
  if (kind != "md5" && kind != "sha-256") return std::nullopt;
  const std::string qop = challenge.option("qop");
  if (!qop.empty() && !offers_auth(qop)) return std::nullopt;

  Hasher hash(kind == "md5" ? "MD5" : "SHA-256");
  const std::string realm = challenge.option("realm"), nonce = challenge.option("nonce");
  std::string secret = hash(login.username + ":" + realm + ":" + login.password);
  if (session) secret = hash(secret + ":" + nonce + ":" + client_nonce);
  const std::string request = hash("CONNECT:" + authority);
  const std::string between =
      qop.empty() ? nonce : nonce + ":" + kCount + ":" + client_nonce + ":auth";
  const std::string response = hash(secret + ":" + between + ":" + request);
  if (hash.failed) return std::nullopt;

  std::string text = "Digest username=" + in_quotes(login.username) +
                     ", realm=" + in_quotes(realm) + ", nonce=" + in_quotes(nonce) +
                     ", uri=" + in_quotes(authority) + ", response=" + in_quotes(response);
  if (!algorithm.empty()) text += ", algorithm=" + algorithm;
  if (!qop.empty() || session) text += ", cnonce=" + in_quotes(client_nonce);
  if (!qop.empty()) text += std::string(", qop=auth, nc=") + kCount;
  if (const std::string opaque = challenge.option("opaque"); !opaque.empty()) {
    text += ", opaque=" + in_quotes(opaque);
  }
  return text;
}

}  // namespace proxy
