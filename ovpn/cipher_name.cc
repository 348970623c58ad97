// SPDX-License-Identifier: Apache-2.0
#include "ovpn/cipher_name.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

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

// Source: `openvpn --show-ciphers` and `--show-digests` of 2.4 to 2.7, and OpenSSL's names in use.
constexpr std::string_view kCiphersElsewhere[] = {
    "DES-CBC",      "DES-CFB",      "DES-OFB",       "DES-EDE-CBC",    "DES-EDE-CFB", "DES-EDE-OFB",
    "DES-EDE3-CFB", "DES-EDE3-OFB", "DES-EDE3-CFB1", "DES-EDE3-CFB8",  "DESX-CBC",    "RC2-CBC",
    "RC2-CFB",      "RC2-OFB",      "RC2-40-CBC",    "RC2-64-CBC",     "RC5-CBC",     "RC5-CFB",
    "RC5-OFB",      "IDEA-CBC",     "IDEA-CFB",      "IDEA-OFB",       "BF-CFB",      "BF-OFB",
    "CAST5-CFB",    "CAST5-OFB",    "SEED-CFB",      "SEED-OFB",       "SM4-CFB",     "SM4-OFB",
    "DES-CFB1",     "DES-CFB8",     "DES",           "DES3",           "DESX",        "RC2",
    "IDEA",         "gost89",       "gost89-cnt",    "kuznyechik-cbc", "magma-cbc",
};
constexpr std::string_view kBlockCiphers[] = {"AES-", "ARIA-", "CAMELLIA-"};
constexpr std::string_view kBlockSizes[] = {"128-", "192-", "256-"};
constexpr std::string_view kModesElsewhere[] = {"CFB", "CFB1", "CFB8", "OFB", "GCM"};

constexpr std::string_view kDigestsElsewhere[] = {
    "MD2",
    "MD4",
    "MDC2",
    "WHIRLPOOL",
    "SHAKE128",
    "SHAKE256",
    "MD5-SHA1",
    "KECCAK-KMAC-128",
    "KECCAK-KMAC-256",
    "ecdsa-with-SHA1",
    "DSA",
    "DSA-SHA1",
    "md_gost94",
    "md_gost12_256",
    "md_gost12_512",
};

template <std::size_t kCount>
bool named_in(const std::string_view (&names)[kCount], std::string_view name) {
  return std::any_of(std::begin(names), std::end(names), [name](std::string_view known) {
    return base::equals_ignoring_case(known, name);
  });
}

// "cfb8" of "aes-256-cfb8"; empty if it does not begin so.
template <std::size_t kCount>
std::string_view behind(const std::string_view (&fronts)[kCount], std::string_view name) {
  for (const std::string_view front : fronts) {
    if (base::equals_ignoring_case(name.substr(0, front.size()), front)) {
      return name.substr(front.size());
    }
  }
  return {};
}

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

bool is_cipher_elsewhere(std::string_view name) {
  return named_in(kCiphersElsewhere, name) ||
         named_in(kModesElsewhere, behind(kBlockSizes, behind(kBlockCiphers, name)));
}

// OpenSSL before 3 also took a digest by the name of a signature that uses it: RSA-SHA256.
bool is_digest_elsewhere(std::string_view name) {
  constexpr std::string_view kSignature[] = {"RSA-"};
  return named_in(kDigestsElsewhere, name) || find_digest(behind(kSignature, name)) != nullptr;
}

std::span<const CipherName> cipher_table() { return kCiphers; }
std::span<const DigestName> digest_table() { return kDigests; }

}  // namespace ovpn
