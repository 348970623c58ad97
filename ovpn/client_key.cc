// SPDX-License-Identifier: Apache-2.0
#include "ovpn/client_key.h"

#include <optional>
#include <string>
#include <utility>

#include "base/base64.h"
#include "base/wipe.h"
#include "ovpn/static_key.h"

namespace ovpn {
namespace {

constexpr std::string_view kBegin = "-----BEGIN OpenVPN tls-crypt-v2 client key-----";
constexpr std::string_view kEnd = "-----END OpenVPN tls-crypt-v2 client key-----";
constexpr std::string_view kServerBegin = "-----BEGIN OpenVPN tls-crypt-v2 server key-----";

bool has_length_of_itself(base::ByteSpan wrapped) {
  return wrapped.size() >= kWrappedKeyBytesMin && wrapped.size() <= kWrappedKeyBytesMax &&
         base::load_be16(wrapped.data() + wrapped.size() - 2) == wrapped.size();
}

base::Problem no_client_key(const base::Place& place, std::string_view text) {
  if (text.find(kServerBegin) != std::string_view::npos) {
    return {place, "this is the server's tls-crypt-v2 key, which must never leave the server",
            "ask its admin for a client key"};
  }
  const std::string_view kind = kind_of_key(text);
  return {place,
          kind.empty() ? "there is no tls-crypt-v2 client key in it"
                       : "this is " + std::string(kind) + ", not a tls-crypt-v2 client key",
          "it takes a text that begins with " + std::string(kBegin)};
}

}  // namespace

base::Result<ClientKey> parse_client_key(const base::Place& place, std::string_view text) {
  const auto begin = text.find(kBegin);
  if (begin == std::string_view::npos) return no_client_key(place, text);
  const auto from = begin + kBegin.size();
  const auto end = text.find(kEnd, from);
  auto bytes = end == std::string_view::npos ? std::nullopt
                                             : base::from_base64(text.substr(from, end - from));
  if (!bytes || bytes->size() < kStaticKeyBytes ||
      !has_length_of_itself(base::ByteSpan(*bytes).subspan(kStaticKeyBytes))) {
    return base::Problem{place, "the tls-crypt-v2 client key is damaged",
                         "copy the file again, or ask for another"};
  }
  const base::SecretBytes all{base::ByteSpan(*bytes)};
  ::explicit_bzero(bytes->data(), bytes->size());
  const base::ByteSpan wrapped = all.view().subspan(kStaticKeyBytes);
  return ClientKey{base::SecretBytes(all.view().first(kStaticKeyBytes)),
                   base::Bytes(wrapped.begin(), wrapped.end())};
}

}  // namespace ovpn
