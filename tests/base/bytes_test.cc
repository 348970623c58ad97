// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Bytes, BigEndianIsExact) {
  std::uint8_t buffer[8];
  store_be64(buffer, 0x0102030405060708);
  EXPECT_EQ(to_hex(buffer), "0102030405060708");
  EXPECT_EQ(load_be16(buffer), 0x0102);
  EXPECT_EQ(load_be32(buffer + 1), 0x02030405u);
  EXPECT_EQ(load_be64(buffer), 0x0102030405060708u);
}

TEST(ByteReader, FailsAtEveryTruncationAndStaysFailed) {
  const Bytes whole = *from_hex("ff0102030405060708090a0b0c0d0e");
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    ByteReader reader(ByteSpan(whole).first(length));
    reader.u8();
    reader.be16();
    reader.be32();
    reader.be64();
    EXPECT_EQ(reader.ok(), length == whole.size()) << length;
    EXPECT_EQ(reader.u8().has_value(), false) << length;  // at the end, or failed before it
  }
}

TEST(ByteWriter, WritesNothingPastTheEnd) {
  std::uint8_t buffer[4] = {9, 9, 9, 9};
  ByteWriter writer(MutableByteSpan(buffer).first(3));
  writer.be16(0x0102);
  writer.be16(0x0304);
  EXPECT_FALSE(writer.ok());
  writer.u8(5);
  EXPECT_EQ(writer.size(), 2u);
  EXPECT_EQ(to_hex(buffer), "01020909");
}

TEST(Hex, RefusesWhatIsNotHex) {
  EXPECT_EQ(from_hex("0g"), std::nullopt);
  EXPECT_EQ(from_hex("012"), std::nullopt);
  EXPECT_EQ(from_hex("aF"), Bytes{0xaf});
}

}  // namespace
}  // namespace base
