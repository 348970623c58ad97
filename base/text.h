// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace base {

std::string_view trim(std::string_view text);  // ASCII white space off both ends
std::vector<std::string_view> split(std::string_view text, char separator);  // keeps empty parts
std::vector<std::string_view> split_words(std::string_view text);  // at white space, none empty
// The parts look into the text: one that ends with the statement would leave them looking at nothing.
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split(Temporary&& text, char separator) = delete;
template <std::same_as<std::string> Temporary>
std::vector<std::string_view> split_words(Temporary&& text) = delete;
std::string to_lower(std::string_view text);  // ASCII only
bool equals_ignoring_case(std::string_view a, std::string_view b);

// The whole text as a decimal number, or nothing: no sign for unsigned, no blanks, no overflow.
template <typename T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The candidate a person most likely meant, or nothing if none is near (edit distance over a
// third).
std::optional<std::string_view> nearest(std::string_view word,
                                        std::span<const std::string_view> candidates);

}  // namespace base
