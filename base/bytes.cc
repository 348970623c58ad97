// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <algorithm>
#include <cstring>

#include "base/hex_digit.h"

namespace base {
namespace {

template <typename T>
T load_be(const std::uint8_t* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) value = static_cast<T>((value << 8) | from[i]);
  return value;
}

template <typename T>
void store_be(std::uint8_t* to, T value) {
  for (std::size_t i = sizeof(T); i-- > 0; value = static_cast<T>(value >> 8)) {
    to[i] = static_cast<std::uint8_t>(value);
  }
}

}  // namespace

std::uint16_t load_be16(const std::uint8_t* from) {
  return static_cast<std::uint16_t>(from[0] << 8 | from[1]);
}
std::uint32_t load_be32(const std::uint8_t* from) { return load_be<std::uint32_t>(from); }
std::uint64_t load_be64(const std::uint8_t* from) { return load_be<std::uint64_t>(from); }
void store_be16(std::uint8_t* to, std::uint16_t value) {
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value);
}
void store_be32(std::uint8_t* to, std::uint32_t value) { store_be(to, value); }
void store_be64(std::uint8_t* to, std::uint64_t value) { store_be(to, value); }

std::optional<ByteSpan> ByteReader::bytes(std::size_t count) {
  if (!ok_ || count > rest_.size()) {
    ok_ = false;
    return std::nullopt;
  }
  const ByteSpan taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

std::optional<std::uint8_t> ByteReader::u8() {
  const auto field = bytes(1);
  return field ? std::optional((*field)[0]) : std::nullopt;
}
std::optional<std::uint16_t> ByteReader::be16() {
  const auto field = bytes(2);
  return field ? std::optional(load_be16(field->data())) : std::nullopt;
}
std::optional<std::uint32_t> ByteReader::be32() {
  const auto field = bytes(4);
  return field ? std::optional(load_be32(field->data())) : std::nullopt;
}
std::optional<std::uint64_t> ByteReader::be64() {
  const auto field = bytes(8);
  return field ? std::optional(load_be64(field->data())) : std::nullopt;
}

std::uint8_t* ByteWriter::take(std::size_t count) {
  if (!ok_ || count > to_.size() - used_) {
    ok_ = false;
    return nullptr;
  }
  std::uint8_t* at = to_.data() + used_;
  used_ += count;
  return at;
}

void ByteWriter::u8(std::uint8_t value) {
  if (auto* at = take(1)) *at = value;
}
void ByteWriter::be16(std::uint16_t value) {
  if (auto* at = take(2)) store_be16(at, value);
}
void ByteWriter::be32(std::uint32_t value) {
  if (auto* at = take(4)) store_be32(at, value);
}
void ByteWriter::be64(std::uint64_t value) {
  if (auto* at = take(8)) store_be64(at, value);
}
void ByteWriter::bytes(ByteSpan value) {
  if (value.empty()) return;
  if (auto* at = take(value.size())) std::memcpy(at, value.data(), value.size());
}

std::string to_hex(ByteSpan bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const std::uint8_t byte : bytes) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

std::optional<Bytes> from_hex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  Bytes bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = hex_digit(text[i]);
    const int low = hex_digit(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(high << 4 | low));
  }
  return bytes;
}

}  // namespace base
