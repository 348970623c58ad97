// SPDX-License-Identifier: Apache-2.0
// Byte views, big-endian loads and stores, and a reader and a writer that stop at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace base {

using ByteSpan = std::span<const std::uint8_t>;
using MutableByteSpan = std::span<std::uint8_t>;
using Bytes = std::vector<std::uint8_t>;

// Network byte order (RFC 1700). The pointer needs no alignment; the caller owns enough bytes.
std::uint16_t load_be16(const std::uint8_t* from);
std::uint32_t load_be32(const std::uint8_t* from);
std::uint64_t load_be64(const std::uint8_t* from);
void store_be16(std::uint8_t* to, std::uint16_t value);
void store_be32(std::uint8_t* to, std::uint32_t value);
void store_be64(std::uint8_t* to, std::uint64_t value);

// Takes fields off the front of a view. Once a read fails every later read fails too, so a caller
// may read a whole header and ask ok() once.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan bytes) : rest_(bytes) {}

  std::optional<std::uint8_t> u8();
  std::optional<std::uint16_t> be16();
  std::optional<std::uint32_t> be32();
  std::optional<std::uint64_t> be64();
  std::optional<ByteSpan> bytes(std::size_t count);  // points into the source
  ByteSpan rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  ByteSpan rest_;
  bool ok_ = true;
};

// Puts fields into a view. A write that does not fit writes nothing and makes ok() false for good.
class ByteWriter {
 public:
  explicit ByteWriter(MutableByteSpan to) : to_(to) {}

  void u8(std::uint8_t value);
  void be16(std::uint16_t value);
  void be32(std::uint32_t value);
  void be64(std::uint64_t value);
  void bytes(ByteSpan value);
  std::size_t size() const { return used_; }
  bool ok() const { return ok_; }

 private:
  std::uint8_t* take(std::size_t count);

  MutableByteSpan to_;
  std::size_t used_ = 0;
  bool ok_ = true;
};

std::string to_hex(ByteSpan bytes);                    // lower case, no separators
std::optional<Bytes> from_hex(std::string_view text);  // even count of hex digits only
inline ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace base
