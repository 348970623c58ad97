// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/cipher_choice.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace crypto {
namespace {

constexpr std::size_t kFromMax = 1024;  // what a measurement could say at most

// "AES-256-GCM" -> "AES-GCM", as key sizes cost alike.
std::string without_key_size(std::string_view cipher) {
  for (const std::string_view size : {"-128-", "-192-", "-256-"}) {
    const auto at = cipher.find(size);
    if (at == 3 && cipher.starts_with("AES")) {
      return "AES-" + std::string(cipher.substr(at + size.size()));
    }
  }
  return std::string(cipher);
}

}  // namespace

std::optional<std::size_t> CipherChoice::family_of(std::string_view cipher, std::string_view auth) {
  const std::string mode = without_key_size(cipher);
  std::string name = mode;
  if (mode == "none") {
    name = auth;  // "none" is no family's name
  } else if (mode == "AES-CBC" && auth != "none") {
    name.append("+").append(auth);
  }
  const auto found = std::ranges::find(kFamilies, name, &Family::name);
  if (found == kFamilies.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kFamilies.begin());
}

std::size_t CipherChoice::from_packets(std::string_view cipher, std::string_view auth) const {
  const auto family = family_of(cipher, auth);
  return family ? from_[*family] : kNever;
}

bool CipherChoice::any() const {
  return std::ranges::any_of(from_, [](std::size_t from) { return from != kNever; });
}

std::string CipherChoice::to_text() const {
  std::string text;
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    text.append(kFamilies[i].name).append(" ");
    text.append(from_[i] == kNever ? "never" : std::to_string(from_[i])).append("\n");
  }
  return text;
}

std::optional<CipherChoice> CipherChoice::parse(std::string_view text) {
  CipherChoice choice;
  const auto words = base::split_words(text);
  if (words.size() != 2 * kFamilies.size()) return std::nullopt;
  for (std::size_t i = 0; i < kFamilies.size(); ++i) {
    if (words[2 * i] != kFamilies[i].name) return std::nullopt;
    const auto& value = words[2 * i + 1];
    if (value == "never") continue;
    const auto from = base::parse_number<std::size_t>(value);
    if (!from || *from == 0 || *from > kFromMax) return std::nullopt;
    choice.use(i, *from);
  }
  return choice;
}

}  // namespace crypto
