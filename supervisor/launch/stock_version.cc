// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/stock_version.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace launch {
namespace {

// "7_alpha1" counts as 7.
std::optional<int> leading_number(std::string_view text) {
  const auto end =
      std::find_if(text.begin(), text.end(), [](char c) { return c < '0' || c > '9'; });
  return base::parse_number<int>(text.substr(0, static_cast<std::size_t>(end - text.begin())));
}

}  // namespace

std::optional<std::pair<int, int>> parse_stock_version(std::string_view text) {
  const auto words = base::split_words(text.substr(0, text.find('\n')));
  if (words.size() < 2 || words[0] != "OpenVPN") return std::nullopt;
  const auto parts = base::split(words[1], '.');
  if (parts.size() < 2) return std::nullopt;
  const auto major = leading_number(parts[0]), minor = leading_number(parts[1]);
  if (!major || !minor) return std::nullopt;
  return std::pair(*major, *minor);
}

}  // namespace launch
