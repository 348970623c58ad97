// SPDX-License-Identifier: Apache-2.0
// Words of TLS directives that both programs must read alike.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ovpn/directive.h"

namespace ovpn {

inline constexpr std::size_t kSha1Bytes = 20, kSha256Bytes = 32;
inline constexpr std::size_t kFingerprintsMax = 256;   // of one directive
inline constexpr std::size_t kCipherListBytesMax = 127;  // OpenVPN's own limit for data-ciphers

// Hex pairs with colons, as `openssl x509 -fingerprint` prints them, of a digest of `bytes`. In
// capitals; nothing: it is no such thing.
std::optional<std::string> parse_fingerprint(std::string_view text, std::size_t bytes);
// Those of `peer-fingerprint` or `verify-hash`: its word, or the lines of its block without comments.
// Views of the directive.
std::vector<std::string_view> fingerprint_lines(const Directive& directive);
// The digest of a `verify-hash`: without a name it is SHA1 on a line and SHA256 in a block (OpenVPN
// 2.6). Nothing: a name it does not take.
std::optional<std::string_view> verify_hash_digest(const Directive& directive);

std::optional<unsigned> parse_key_usage(std::string_view text);  // hex, 1 to ffff, with 0x or without

// "2.4.0", "2.4", "2" as 20400, 20400, 20000; parts from 0 to 99.
std::optional<int> parse_openvpn_version(std::string_view text);

// The first entry of a `data-ciphers` list that the native engine neither has nor may pass over (with
// '?' before it, it may); nothing: none. A view of `list`.
std::optional<std::string_view> unknown_data_cipher(std::string_view list);

// A TLS version's name as `tls-version-min` and -max take it.
bool is_tls_version(std::string_view text);

}  // namespace ovpn
