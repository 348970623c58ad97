// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/mss_clamp.h"

#include <gtest/gtest.h>

namespace {

using base::Bytes;

// The TCP header with these options (padded by hand to a multiple of 4), SYN set.
Bytes tcp_header(std::string_view options_hex, std::uint8_t flags = 0x02) {
  Bytes header(20, 0);
  const Bytes options = base::from_hex(options_hex).value();
  header[12] = static_cast<std::uint8_t>((20 + options.size()) / 4 << 4);
  header[13] = flags;
  header.insert(header.end(), options.begin(), options.end());
  return header;
}

// The checksum over the header alone; a pseudo header adds a constant that changes nothing here.
std::uint16_t checksum(base::ByteSpan words) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) sum += base::load_be16(&words[i]);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

Bytes in_ip(bool v6, Bytes header) {
  base::store_be16(&header[16], checksum(header));
  Bytes packet(v6 ? 40 : 20, 0);
  packet[0] = v6 ? 0x60 : 0x45;
  packet[v6 ? 6 : 9] = 6;
  packet.insert(packet.end(), header.begin(), header.end());
  return packet;
}

constexpr data::MssLimits kLimits{.ipv4 = 1359, .ipv6 = 1339};

struct Row {
  const char* what;
  const char* options;
  const char* after_ipv4;  // the options behind the clamp; nullptr: unchanged
};

const Row kRows[] = {
    {"as the kernel writes it", "020405b4", "0204054f"},
    {"behind two no-operations", "0101020405b40101", "01010204054f0101"},
    {"at an odd place", "01020405b4010101", "010204054f010101"},
    {"between other options", "0402080a00000001000000000101020405b40101",
     "0402080a00000001000000000101 0204054f0101"},
    {"already small enough", "0204054f", nullptr},
    {"smaller", "02040200", nullptr},
    {"behind the end of options", "00020405b4000000", nullptr},
    {"wrong length", "020305b4", nullptr},
    {"cut off", "01010102", nullptr},
    {"an option of length 0", "0500020405b40000", nullptr},
    {"an option over the end", "05ff020405b40000", nullptr},
    {"no options", "", nullptr},
};

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST(ClampMss, LowersTheOptionAndNothingElse) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    Bytes packet = in_ip(false, tcp_header(row.options));
    const Bytes before = packet;
    data::clamp_mss(kLimits, packet);
    if (row.after_ipv4 == nullptr) {
      EXPECT_EQ(packet, before);
    } else {
      EXPECT_EQ(base::to_hex(packet),
                base::to_hex(in_ip(false, tcp_header(without_blanks(row.after_ipv4)))));
    }
  }
}

TEST(ClampMss, Ipv6HasItsOwnLimit) {
  Bytes packet = in_ip(true, tcp_header("020405b4"));
  data::clamp_mss(kLimits, packet);
  EXPECT_EQ(packet, in_ip(true, tcp_header("0204053b")));
}

TEST(ClampMss, SynAckToo) {
  Bytes packet = in_ip(false, tcp_header("020405b4", 0x12));
  data::clamp_mss(kLimits, packet);
  EXPECT_EQ(packet, in_ip(false, tcp_header("0204054f", 0x12)));
}

TEST(ClampMss, OnlyOnSynAndOnlyWithALimit) {
  Bytes ack = in_ip(false, tcp_header("020405b4", 0x10));
  const Bytes before = ack;
  data::clamp_mss(kLimits, ack);
  EXPECT_EQ(ack, before);
  Bytes syn = in_ip(false, tcp_header("020405b4"));
  const Bytes syn_before = syn;
  data::clamp_mss({}, syn);
  data::clamp_mss({.ipv4 = 0, .ipv6 = 1339}, syn);
  EXPECT_EQ(syn, syn_before);
}

// Nothing is read beyond the end: the sanitizers watch this one.
TEST(ClampMss, TruncatedAtEveryLengthIsLeftAlone) {
  for (const bool v6 : {false, true}) {
    const Bytes whole = in_ip(v6, tcp_header("0402080a00000001000000000101020405b40101"));
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      Bytes clamped = cut;
      data::clamp_mss(kLimits, clamped);
      EXPECT_EQ(clamped, cut) << size;
    }
  }
}

}  // namespace
