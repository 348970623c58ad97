// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/lzo1x.h"

#include <gtest/gtest.h>

#include <string>

namespace {

constexpr std::string_view kEnd = "110000";

// What comes out, as text; "refused" when nothing does.
std::string unpacked(const std::string& hex, std::size_t room = 4096) {
  const base::Bytes block = base::from_hex(hex).value();
  base::Bytes out(room);
  const auto size = data::unpack_lzo1x(block, out);
  return size ? std::string(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size))
              : "refused";
}

std::string repeated(std::string_view text, std::size_t size) {
  std::string all;
  while (all.size() < size) all += text;
  return all.substr(0, size);
}

struct Row {
  const char* what;
  std::string hex;  // without the end
  std::string text;
};

const std::string kRun4 = "1561626364";  // abcd
// abcd, 2100 bytes of the same, and a run of WXYZ.
const std::string kLong = kRun4 + "20" + std::string(16, '0') + "1b0c00" + "0157585959";

const Row kRows[] = {
    {"nothing", "", ""},
    {"three literals first", "14414243", "ABC"},
    {"a run of literals first", kRun4, "abcd"},
    {"a run by its small code", "0141424344", "ABCD"},
    {"a run with a length of its own", "0001" + std::string(38, '4'), std::string(19, 'D')},
    {"4 bytes from near", kRun4 + "6c00", "abcdabcd"},
    {"3 bytes from near", kRun4 + "4c00", "abcdabc"},
    {"8 bytes from 1 back, and a literal", "1261e1007a", std::string(9, 'a') + "z"},
    {"35 bytes from the middle", "126120020000", std::string(36, 'a')},
    {"3 bytes by a code with its length",
     "126121"
     "0000",
     std::string(4, 'a')},
    {"2 bytes after few literals",
     "13616204"
     "00",
     "abab"},
    {"2 bytes, literals, 2 bytes",
     "1361620700"
     "787a7a"
     "0400",
     "ababxzzzz"},
    {"3 bytes after a run, from beyond 2 KB", kLong + "0801",
     repeated("abcd", 2104) + "WXYY" + "bcd"},
};

TEST(Lzo1x, EveryInstruction) {
  for (const Row& row : kRows) {
    const std::string hex = row.hex + std::string(kEnd);
    EXPECT_EQ(unpacked(hex), row.text) << row.what;
    EXPECT_EQ(unpacked(hex, row.text.size()), row.text) << row.what;
  }
}

TEST(Lzo1x, WantsNoByteMoreThanThereIs) {
  for (const Row& row : kRows) {
    if (!row.text.empty()) {
      EXPECT_EQ(unpacked(row.hex + std::string(kEnd), row.text.size() - 1), "refused") << row.what;
    }
    EXPECT_EQ(unpacked(row.hex + std::string(kEnd) + "00"), "refused") << row.what;
  }
}

TEST(Lzo1x, TruncatedAtEveryLength) {
  for (const Row& row : kRows) {
    const std::string hex = row.hex + std::string(kEnd);
    for (std::size_t size = 0; size < hex.size(); size += 2) {
      EXPECT_EQ(unpacked(hex.substr(0, size)), "refused") << row.what << " " << size;
    }
  }
}

TEST(Lzo1x, NothingLiesBeforeTheStart) {
  const char* const copies[] = {"4400", "4001", "210400", "0400", "0001", "110400", "190000"};
  for (const char* copy : copies) {
    EXPECT_EQ(unpacked("1261" + std::string(copy) + "110000"), "refused") << copy;
    EXPECT_EQ(unpacked(std::string(copy) + "110000"), "refused") << copy;
  }
  EXPECT_EQ(unpacked(kRun4 + "0000110000"), "refused");  // 2049 bytes back
  EXPECT_EQ(unpacked("1261"
                     "4000"
                     "110000"),
            "aaaa");
}

// The end copies nothing, so what length it names does not matter, however small the room is.
TEST(Lzo1x, TheEndMayNameAnyLength) {
  const std::string hex = "12611000000000010000";
  EXPECT_EQ(unpacked(hex), "a");
  EXPECT_EQ(unpacked(hex, 1), "a");
}

TEST(Lzo1x, LengthsThatNeverEnd) {
  EXPECT_EQ(unpacked(std::string(100000, '0')), "refused");
  EXPECT_EQ(unpacked("126120" + std::string(100000, '0') + "01"), "refused");
  EXPECT_EQ(unpacked("126110" + std::string(100000, '0')), "refused");
}

}  // namespace
