// SPDX-License-Identifier: Apache-2.0
#include "ovpn/cipher_name.h"

#include "base/text.h"

namespace ovpn {
namespace {

constexpr CipherMode kCbc = CipherMode::kCbc;
constexpr CipherMode kAead = CipherMode::kAead;
constexpr CipherMode kStream = CipherMode::kStream;

// Source: OpenSSL 3's default and legacy providers as Debian builds them.
constexpr CipherName kCiphers[] = {
    {"none", CipherMode::kNone, 0, 0, false},
    {"AES-128-CBC", kCbc, 16, 16, false},
    {"AES-192-CBC", kCbc, 24, 16, false},
    {"AES-256-CBC", kCbc, 32, 16, false},
    {"ARIA-128-CBC", kCbc, 16, 16, false},
    {"ARIA-192-CBC", kCbc, 24, 16, false},
    {"ARIA-256-CBC", kCbc, 32, 16, false},
    {"CAMELLIA-128-CBC", kCbc, 16, 16, false},
    {"CAMELLIA-192-CBC", kCbc, 24, 16, false},
    {"CAMELLIA-256-CBC", kCbc, 32, 16, false},
    {"SM4-CBC", kCbc, 16, 16, false},
    {"DES-EDE3-CBC", kCbc, 24, 8, false},
    {"BF-CBC", kCbc, 16, 8, true},
    {"CAST5-CBC", kCbc, 16, 8, true},
    {"SEED-CBC", kCbc, 16, 16, true},
    {"AES-128-GCM", kAead, 16, 16, false},
    {"AES-192-GCM", kAead, 24, 16, false},
    {"AES-256-GCM", kAead, 32, 16, false},
    {"CHACHA20-POLY1305", kAead, 32, 1, false},
    {"AES-128-CFB", kStream, 16, 1, false},
    {"AES-192-CFB", kStream, 24, 1, false},
    {"AES-256-CFB", kStream, 32, 1, false},
    {"AES-128-OFB", kStream, 16, 1, false},
    {"AES-192-OFB", kStream, 24, 1, false},
    {"AES-256-OFB", kStream, 32, 1, false},
};

constexpr DigestName kDigests[] = {
    {"none", 0},       {"SHA1", 20},       {"SHA224", 28},     {"SHA256", 32},     {"SHA384", 48},
    {"SHA512", 64},    {"SHA512-224", 28}, {"SHA512-256", 32}, {"SHA3-224", 28},   {"SHA3-256", 32},
    {"SHA3-384", 48},  {"SHA3-512", 64},   {"BLAKE2s256", 32}, {"BLAKE2b512", 64}, {"SM3", 32},
    {"RIPEMD160", 20}, {"MD5", 16},
};

struct Alias {
  std::string_view alias;
  std::string_view name;
};

// OpenSSL's further names for the same algorithms.
constexpr Alias kAliases[] = {
    {"AES128", "AES-128-CBC"},
    {"AES192", "AES-192-CBC"},
    {"AES256", "AES-256-CBC"},
    {"ARIA128", "ARIA-128-CBC"},
    {"ARIA192", "ARIA-192-CBC"},
    {"ARIA256", "ARIA-256-CBC"},
    {"CAMELLIA128", "CAMELLIA-128-CBC"},
    {"CAMELLIA192", "CAMELLIA-192-CBC"},
    {"CAMELLIA256", "CAMELLIA-256-CBC"},
    {"SM4", "SM4-CBC"},
    {"DES3", "DES-EDE3-CBC"},
    {"BF", "BF-CBC"},
    {"BLOWFISH", "BF-CBC"},
    {"CAST", "CAST5-CBC"},
    {"CAST-CBC", "CAST5-CBC"},
    {"SEED", "SEED-CBC"},
    {"id-aes128-GCM", "AES-128-GCM"},
    {"id-aes192-GCM", "AES-192-GCM"},
    {"id-aes256-GCM", "AES-256-GCM"},
    {"SHA-1", "SHA1"},
    {"SHA-224", "SHA224"},
    {"SHA-256", "SHA256"},
    {"SHA-384", "SHA384"},
    {"SHA-512", "SHA512"},
    {"SHA2-224", "SHA224"},
    {"SHA2-256", "SHA256"},
    {"SHA2-384", "SHA384"},
    {"SHA2-512", "SHA512"},
    {"SHA-512/256", "SHA512-256"},
    {"SHA2-512/256", "SHA512-256"},
    {"SHA-512/224", "SHA512-224"},
    {"SHA2-512/224", "SHA512-224"},
    {"RMD160", "RIPEMD160"},
    {"RIPEMD", "RIPEMD160"},
    {"RIPEMD-160", "RIPEMD160"},
    {"BLAKE2S-256", "BLAKE2s256"},
    {"BLAKE2B-512", "BLAKE2b512"},
};

std::string_view resolve_alias(std::string_view name) {
  for (const Alias& alias : kAliases) {
    if (base::equals_ignoring_case(alias.alias, name)) return alias.name;
  }
  return name;
}

template <typename Row, std::size_t kCount>
const Row* find_in(const Row (&table)[kCount], std::string_view name) {
  name = resolve_alias(name);
  for (const Row& row : table) {
    if (base::equals_ignoring_case(row.name, name)) return &row;
  }
  return nullptr;
}

}  // namespace

const CipherName* find_cipher(std::string_view name) { return find_in(kCiphers, name); }
const DigestName* find_digest(std::string_view name) { return find_in(kDigests, name); }
std::span<const CipherName> cipher_table() { return kCiphers; }
std::span<const DigestName> digest_table() { return kDigests; }

}  // namespace ovpn
