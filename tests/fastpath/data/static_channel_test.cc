// SPDX-License-Identifier: Apache-2.0
// What a damaged, repeated or reflected datagram does: nothing but a verdict.
#include "fastpath/data/static_channel.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using data::StaticChannel;
using packet::DropReason;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};
constexpr std::size_t kPayload = 50;

struct Layout {
  const char* name;
  const char* cipher;
  const char* auth;
  bool replay;
};

const Layout kLayouts[] = {
    {"CipherAuth", "AES-256-CBC", "SHA256", true},
    {"Cipher", "AES-256-CBC", "none", true},
    {"Auth", "none", "SHA256", true},
    {"Nothing", "none", "none", true},
    {"CipherAuthNoReplay", "AES-256-CBC", "SHA256", false},
    {"CipherNoReplay", "AES-256-CBC", "none", false},
    {"AuthNoReplay", "none", "SHA256", false},
    {"NothingNoReplay", "none", "none", false},
};

base::Bytes counting(std::size_t size, std::uint8_t first) {
  base::Bytes bytes(size);
  for (std::uint8_t& byte : bytes) byte = first++;
  return bytes;
}

const base::Bytes kKeys[4] = {counting(64, 1), counting(64, 65), counting(64, 129),
                              counting(64, 193)};

struct Side {
  explicit Side(const Layout& layout, std::uint8_t seed, base::UnixSeconds time, bool shared = true)
      : channel(data::StaticChannelParts{
                    .cipher = layout.cipher,
                    .auth = layout.auth,
                    .send = {kKeys[0], kKeys[1]},
                    .receive = {kKeys[0], kKeys[1]},
                    .shared_key = shared,
                    .replay = layout.replay,
                    .packet_time = time,
                    .random = [seed](base::MutableByteSpan to) { std::ranges::fill(to, seed); },
                    .wall_clock = [] { return base::UnixSeconds{1000}; }},
                kNow) {}

  base::Bytes seal(const base::Bytes& payload) {
    packet::PacketBatch batch(2048, 1);
    packet::Packet& packet = *batch.append();
    std::ranges::copy(payload, packet.fill_space().begin());
    packet.set_size(payload.size());
    channel.seal_packet(packet);
    EXPECT_FALSE(packet.dropped());
    return {packet.bytes().begin(), packet.bytes().end()};
  }

  DropReason open(const base::Bytes& datagram, base::Bytes* payload = nullptr) {
    packet::PacketBatch batch(2048, 1);
    packet::Packet& packet = *batch.append();
    std::ranges::copy(datagram, packet.fill_space().begin());
    packet.set_size(datagram.size());
    channel.open_packet(kNow, packet);
    if (payload != nullptr) payload->assign(packet.bytes().begin(), packet.bytes().end());
    return packet.verdict;
  }

  StaticChannel channel;
};

class EachLayout : public testing::TestWithParam<Layout> {
 protected:
  bool authenticated() const { return GetParam().auth != std::string("none"); }

  Side here{GetParam(), 1, 2000}, there{GetParam(), 2, 3000};
};

TEST_P(EachLayout, RoundTripAtEveryLength) {
  for (std::size_t size = 0; size < 300; ++size) {
    const base::Bytes payload = counting(size, static_cast<std::uint8_t>(size));
    base::Bytes opened;
    ASSERT_EQ(there.open(here.seal(payload), &opened), DropReason::kNone) << size;
    ASSERT_EQ(opened, payload);
  }
}

TEST_P(EachLayout, TruncatedAtEveryLengthNeverOpensAuthenticated) {
  const base::Bytes whole = here.seal(counting(kPayload, 0x45));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const base::Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const DropReason verdict = there.open(cut);
    if (size < there.channel.layout().datagram_bytes_min()) {
      EXPECT_EQ(verdict, DropReason::kTooShort) << size;
    } else if (authenticated()) {
      EXPECT_EQ(verdict, DropReason::kAuthFailed) << size;
    }
  }
  // Without auth the cut ones may have been taken for it, as nothing protects them.
  if (authenticated()) {
    EXPECT_EQ(there.open(whole), DropReason::kNone);
  }
}

TEST_P(EachLayout, ABitFlippedInAnyByteIsSeen) {
  if (!authenticated()) return;
  const base::Bytes whole = here.seal(counting(kPayload, 0x45));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      base::Bytes damaged = whole;
      damaged[at] ^= static_cast<std::uint8_t>(1 << bit);
      ASSERT_EQ(there.open(damaged), DropReason::kAuthFailed) << at;
    }
  }
  base::Bytes longer = whole;
  longer.push_back(0);
  EXPECT_EQ(there.open(longer), DropReason::kAuthFailed);
  EXPECT_EQ(there.open(whole), DropReason::kNone);
}

TEST_P(EachLayout, SecondComingIsRefusedWherePacketIdsAre) {
  const base::Bytes datagram = here.seal(counting(kPayload, 0x45));
  EXPECT_EQ(there.open(datagram), DropReason::kNone);
  EXPECT_EQ(there.open(datagram), GetParam().replay ? DropReason::kReplayed : DropReason::kNone);
}

TEST_P(EachLayout, NoTwoDatagramsAreAlike) {
  if (!GetParam().replay && GetParam().cipher == std::string("none")) return;
  const base::Bytes payload = counting(kPayload, 0x45);
  EXPECT_NE(here.seal(payload), here.seal(payload));
}

TEST_P(EachLayout, OwnPacketsComingBackAreRefused) {
  if (!GetParam().replay || (!authenticated() && GetParam().cipher == std::string("none"))) return;
  const base::Bytes own = here.seal(counting(kPayload, 0x45));
  EXPECT_EQ(here.open(own), DropReason::kReflected);
  // And the peer's are still welcome, which they were not if ours had moved the window.
  Side older(GetParam(), 3, 1500);
  EXPECT_EQ(here.open(older.seal(counting(kPayload, 0x45))), DropReason::kNone);
}

TEST_P(EachLayout, APeerThatBeganInTheSameSecondIsNotTakenForUs) {
  Side same_second(GetParam(), 3, 2000);
  const base::Bytes payload = counting(kPayload, 0x45);
  std::vector<base::Bytes> own;
  for (int i = 0; i < 100; ++i) {
    own.push_back(here.seal(payload));
    ASSERT_EQ(here.open(same_second.seal(counting(kPayload, 0x46))), DropReason::kNone) << i;
  }
  const bool guarded =
      GetParam().replay && (authenticated() || GetParam().cipher != std::string("none"));
  if (!guarded) return;
  for (const base::Bytes& datagram : own) {
    EXPECT_EQ(here.open(datagram), DropReason::kReflected);
  }
  EXPECT_EQ(here.open(same_second.seal(counting(kPayload, 0x46))), DropReason::kNone);
}

INSTANTIATE_TEST_SUITE_P(All, EachLayout, testing::ValuesIn(kLayouts),
                         [](const auto& info) { return std::string(info.param.name); });

// With auth alone only the last HMACs tell; two ends that began at once must still part ways.
TEST(StaticChannel, WithoutIvTheTimeIsLeftToThePeerThatSharesIt) {
  const Layout layout{"", "none", "SHA256", true};
  Side here(layout, 1, 2000), there(layout, 2, 2000);
  const base::Bytes a = here.seal(counting(30, 1)), b = there.seal(counting(30, 2));
  EXPECT_EQ(there.open(a), DropReason::kNone);
  EXPECT_EQ(here.open(b), DropReason::kNone);
  // Wanted, and not used before it is on disk.
  const auto wanted = here.channel.wanted_time();
  ASSERT_TRUE(wanted);
  EXPECT_GT(*wanted, wire::PacketTime{2000});
  EXPECT_EQ(there.open(here.seal(counting(30, 3))), DropReason::kNone);
  EXPECT_EQ(here.channel.packet_time(), wire::PacketTime{2000});
  EXPECT_EQ(here.channel.wanted_time(), wanted);
  here.channel.use_time(*wanted);
  EXPECT_EQ(here.channel.packet_time(), *wanted);
  EXPECT_EQ(here.channel.wanted_time(), std::nullopt);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(there.open(here.seal(counting(30, 3))), DropReason::kNone);
    EXPECT_EQ(here.open(there.seal(counting(30, 4))), DropReason::kNone);
  }
  EXPECT_NE(here.channel.packet_time(), there.channel.packet_time());
  EXPECT_EQ(here.open(a), DropReason::kReflected);
  EXPECT_EQ(there.open(b), DropReason::kReflected);
}

TEST(StaticChannel, ATimeThatIsNotLaterIsNoNewTime) {
  Side here({"", "none", "SHA256", true}, 1, 2000);
  here.seal(counting(30, 1));
  for (const std::uint32_t time : {0u, 1999u, 2000u}) here.channel.use_time(wire::PacketTime{time});
  EXPECT_EQ(here.channel.packet_time(), wire::PacketTime{2000});
}

TEST(StaticChannel, WithoutIvAPacketOfOursTooOldToKnowIsRefusedToo) {
  const Layout layout{"", "none", "SHA256", true};
  Side here(layout, 1, 2000);
  const base::Bytes first = here.seal(counting(30, 1));
  for (std::size_t i = 0; i < data::SentTags::kRemembered; ++i) here.seal(counting(30, 1));
  EXPECT_EQ(here.open(first), DropReason::kReflected);
}

TEST(StaticChannel, WithADirectionOwnPacketsDoNotEvenAuthenticate) {
  const base::UnixSeconds time = 2000;
  StaticChannel channel(
      data::StaticChannelParts{
          .cipher = "AES-256-CBC",
          .auth = "SHA256",
          .send = {kKeys[0], kKeys[1]},
          .receive = {kKeys[2], kKeys[3]},
          .packet_time = time,
          .random = [](base::MutableByteSpan to) { std::ranges::fill(to, std::uint8_t{1}); }},
      kNow);
  packet::PacketBatch batch(2048, 1);
  packet::Packet& packet = *batch.append();
  packet.set_size(kPayload);
  channel.seal_packet(packet);
  channel.open_packet(kNow, packet);
  EXPECT_EQ(packet.verdict, DropReason::kAuthFailed);
}

TEST(StaticChannel, ADatagramThatFitsNoSlotIsNotMade) {
  Side side(kLayouts[0], 1, 2000);
  packet::PacketBatch batch(100, 1);
  packet::Packet& packet = *batch.append();
  packet.set_size(packet.fill_space().size());
  side.channel.seal_packet(packet);
  EXPECT_EQ(packet.verdict, DropReason::kTooLong);
}

}  // namespace
