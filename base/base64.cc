// SPDX-License-Identifier: Apache-2.0
#include "base/base64.h"

#include <algorithm>
#include <utility>

namespace base {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBlanks = " \t\r\n";

}  // namespace

std::string to_base64(ByteSpan bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) group = group << 8 | (i < count ? bytes[at + i] : 0u);
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? kDigits[group >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<Bytes> from_base64(std::string_view text) {
  Bytes bytes;
  std::uint32_t held = 0;
  int bits = 0;
  bool ended = false;
  for (const char c : text) {
    if (kBlanks.find(c) != std::string_view::npos) continue;
    if (c == '=') {
      ended = true;
      continue;
    }
    const auto digit = kDigits.find(c);
    if (ended || digit == std::string_view::npos) return std::nullopt;
    held = (held << 6 | static_cast<std::uint32_t>(digit)) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>(held >> bits));
    }
  }
  // A single digit left over holds no whole byte.
  return bits == 6 ? std::nullopt : std::optional(std::move(bytes));
}

}  // namespace base
