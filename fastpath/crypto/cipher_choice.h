// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace crypto {

// Which implementation a packet cipher gets: from how many packets on a batch is worth the
// multi-buffer library, by family of ciphers that cost alike. A value; by default it never is.
class CipherChoice {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  struct Family {
    std::string_view name;
    // One of its members, to be measured.
    std::string_view cipher, auth;
  };
  static constexpr std::array<Family, 8> kFamilies{{
      {"AES-GCM", "AES-256-GCM", ""},
      {"AES-CBC", "AES-256-CBC", "none"},
      {"AES-CBC+SHA1", "AES-256-CBC", "SHA1"},
      {"AES-CBC+SHA256", "AES-256-CBC", "SHA256"},
      {"AES-CBC+SHA512", "AES-256-CBC", "SHA512"},
      {"SHA1", "none", "SHA1"},
      {"SHA256", "none", "SHA256"},
      {"SHA512", "none", "SHA512"},
  }};

  // The index of a cipher's family; nothing: it has none, and EVP does it.
  static std::optional<std::size_t> family_of(std::string_view cipher, std::string_view auth);

  void use(std::size_t family, std::size_t from_packets) { from_[family] = from_packets; }
  std::size_t from_packets(std::string_view cipher, std::string_view auth) const;
  bool any() const;  // the multi-buffer library is used for something

  // One line per family, "AES-GCM 1" or "SHA1 never".
  std::string to_text() const;
  // Nothing: damaged, or of another version of this program.
  static std::optional<CipherChoice> parse(std::string_view text);

  friend bool operator==(const CipherChoice&, const CipherChoice&) = default;

 private:
  static constexpr std::array<std::size_t, kFamilies.size()> all_never() {
    std::array<std::size_t, kFamilies.size()> from{};
    from.fill(kNever);
    return from;
  }
  std::array<std::size_t, kFamilies.size()> from_ = all_never();
};

}  // namespace crypto
