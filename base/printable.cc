// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <cstddef>
#include <cstdint>

namespace base {
namespace {

constexpr std::size_t kLoggableBytesMax = 256;
constexpr std::string_view kHexDigits = "0123456789abcdef";

enum class Breaks { kKept, kEscaped };

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

// How many bytes of UTF-8 begin with this one (RFC 3629), 0: none do.
std::size_t length_of(std::uint8_t first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

bool is_well_formed(std::uint32_t value, std::size_t length) {
  if (length == 3) return value >= 0x800 && (value < 0xd800 || value > 0xdfff);
  return length != 4 || (value >= 0x10000 && value <= 0x10ffff);
}

// C1, the marks, embeddings and isolates of bidirectional text, and separators of lines.
bool is_obeyed(std::uint32_t value) {
  return (value >= 0x80 && value <= 0x9f) || value == 0x061c || value == 0x200e ||
         value == 0x200f || (value >= 0x2028 && value <= 0x202e) ||
         (value >= 0x2066 && value <= 0x2069);
}

// The bytes at the front that may stand as they are: one character, or 0.
std::size_t kept(std::string_view text, Breaks breaks) {
  const std::uint8_t first = byte_at(text, 0);
  if (first == '\t' || (first == '\n' && breaks == Breaks::kKept)) return 1;
  if (first < 0x20 || first == 0x7f) return 0;
  const std::size_t length = length_of(first);
  if (length <= 1) return length;
  if (length > text.size()) return 0;
  std::uint32_t value = first & (0x7fU >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte_at(text, at) & 0xc0) != 0x80) return 0;
    value = value << 6 | (byte_at(text, at) & 0x3fU);
  }
  return is_well_formed(value, length) && !is_obeyed(value) ? length : 0;
}

std::string escaped(std::uint8_t byte) {
  return {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
}

std::string filtered(std::string_view text, Breaks breaks, std::size_t bytes_max) {
  std::string result;
  result.reserve(text.size() < bytes_max ? text.size() : bytes_max);
  while (!text.empty()) {
    const std::size_t length = kept(text, breaks);
    const std::string piece =
        length > 0 ? std::string(text.substr(0, length)) : escaped(byte_at(text, 0));
    if (piece.size() > bytes_max - result.size()) return result + "...";
    result += piece;
    text.remove_prefix(length > 0 ? length : 1);
  }
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return filtered(text, Breaks::kKept, std::string::npos);
}

std::string printable_line(std::string_view line) {
  return filtered(line, Breaks::kEscaped, std::string::npos);
}

std::string loggable(std::string_view text) {
  return filtered(text, Breaks::kEscaped, kLoggableBytesMax);
}

}  // namespace base
