// SPDX-License-Identifier: Apache-2.0
// Names and sizes of the ciphers and digests that `cipher` and `auth` may name. No cryptography in
// here: what OpenSSL really has on a machine is the crypto room's to find out.
#pragma once

#include <span>
#include <string_view>

namespace ovpn {

enum class CipherMode {
  kNone,    // "none": the payload goes in clear text
  kCbc,     // the only mode of static keys (OpenVPN protocol: ciphers and digests)
  kAead,    // GCM and ChaCha20-Poly1305: TLS mode only
  kStream,  // CFB and OFB: TLS mode only
};

struct CipherName {
  std::string_view name;  // as OpenSSL and OpenVPN's options string spell it; "none"
  CipherMode mode;
  int key_bytes;
  int block_bytes;  // also the size of a CBC IV; 0 for none, 1 for stream ciphers
  bool legacy;      // OpenSSL 3 keeps it in its legacy provider
  bool is_none() const { return mode == CipherMode::kNone; }
  bool small_block() const { return mode == CipherMode::kCbc && block_bytes < 16; }  // SWEET32
};

struct DigestName {
  std::string_view name;  // "SHA256"; "none"
  int bytes;              // of the HMAC and of its key; 0 for none
  bool is_none() const { return bytes == 0; }
};

// What stock takes if the config does not say, in all of 2.4 to 2.7.
inline constexpr std::string_view kDefaultCipher = "BF-CBC";
inline constexpr std::string_view kDefaultDigest = "SHA1";

// Any spelling OpenSSL takes ("aes-256-cbc", "AES256"), or nullptr for a name not in the table.
// Rows live for ever.
const CipherName* find_cipher(std::string_view name);
const DigestName* find_digest(std::string_view name);

// Names that are not in the tables but that some OpenVPN's OpenSSL (1.0 to 3, any provider of its
// own) takes. What is in neither is a typing error.
bool is_cipher_elsewhere(std::string_view name);
bool is_digest_elsewhere(std::string_view name);

std::span<const CipherName> cipher_table();
std::span<const DigestName> digest_table();

}  // namespace ovpn
