// SPDX-License-Identifier: Apache-2.0
// OpenVPN static key files ("Static key V1"), used for `secret` (and tls-auth, tls-crypt).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/secret_bytes.h"

namespace ovpn {

inline constexpr std::size_t kStaticKeyBytes = 256;

// `secret`'s second argument or key-direction. Unset: both ends send with K0.
enum class KeyDirection { kBidirectional, kNormal, kInverse };  // not given, 0, 1

struct StaticKey {
  base::SecretBytes bytes;  // always kStaticKeyBytes

  // The four 64-byte blocks: cipher and hmac of K0, then of K1. Views live as long as the key.
  base::ByteSpan cipher_block(int key_index) const;
  base::ByteSpan hmac_block(int key_index) const;
};

// The remedy for a file that is no static key at all. Who knows the site's name puts it in place of
// NAME.
inline constexpr std::string_view kMakeStaticKey =
    "copy the far end's here; `tunctl key gen NAME` makes a new one, which both ends then need";
// The same for a key that somebody else made, as those of tls-auth and tls-crypt are: a new one
// would be of no use.
inline constexpr std::string_view kCopyStaticKey =
    "it has to be the same file as at the far end; copy it from there";

// Problems carry `file` and the line, and never a byte of the key. `first_line` is the line in
// `file` on which `text` begins: 1 for a key file, the line after the tag for an inline block.
base::Result<StaticKey> parse_static_key(std::string_view file, std::string_view text,
                                         std::size_t first_line = 1);
std::string format_static_key(const StaticKey& key);  // as `openvpn --genkey secret` writes it
StaticKey generate_static_key();                      // from the kernel's generator

// What somebody handed over instead of a key of the wanted kind, by its first line: "a PEM private
// key", "a certificate". Empty: nothing that is known, or nothing at all.
std::string_view kind_of_key(std::string_view text);

// A word that looks like a piece of a key file: a PEM frame, or a long run of hex or base64. Such a
// word is repeated in no message.
bool looks_like_key(std::string_view word);

// Which of K0 and K1 the local side sends and receives with.
int send_key_index(KeyDirection direction);
int receive_key_index(KeyDirection direction);

}  // namespace ovpn
