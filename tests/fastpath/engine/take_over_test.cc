// SPDX-License-Identifier: Apache-2.0
// What one run leaves to the next: bytes that may be torn or foreign, and the rules by which they
// are believed.
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "fastpath/engine/comes_back.h"
#include "fastpath/engine/kept_memory.h"
#include "fastpath/engine/kept_state.h"
#include "fastpath/engine/packet_time.h"
#include "fastpath/engine/take_over_rule.h"
#include "tests/support/peer_parts.h"

namespace {

using engine::KeptState;

KeptState sample() {
  KeptState state;
  state.config.fill(0x5a);
  state.unheard = {12, 34};
  state.device = {"tun3", true, true, base::IpAddress::parse("192.0.2.7"), "tunctl-journal 1 x\n"};
  state.remote_host = "vpn.example";
  state.remote_port = "1194";
  state.targets = {support::endpoint("192.0.2.7", 1194), support::endpoint("2001:db8::1", 1194)};
  state.peer = support::endpoint("192.0.2.9", 40000);
  state.pushed = {"route 10.0.0.0 255.0.0.0", ""};
  state.token_user = "user";
  state.token = "SESS_ID_x";
  return state;
}

KeptState another() {
  KeptState state = sample();
  state.device->name = "tun4";
  state.pushed.emplace_back("a longer list than before");
  return state;
}

base::Bytes fresh() {
  base::Bytes memory(engine::kKeptBytes);
  engine::write_kept_head(memory);
  return memory;
}

base::Bytes with(const KeptState& state) {
  base::Bytes memory = fresh();
  EXPECT_TRUE(engine::write_kept(memory, state));
  return memory;
}

std::string why_not(base::ByteSpan memory) {
  const auto kept = engine::read_kept(memory);
  return kept ? "" : kept.error();
}

TEST(KeptState, HasTheseBytes) {
  base::Bytes memory = with({});
  EXPECT_EQ(base::as_text(base::ByteSpan(memory).first(8)), "TUNCTLkp");
  EXPECT_EQ(base::to_hex(base::ByteSpan(memory).subspan(8, 8)), "0000000100080040");
  EXPECT_EQ(base::to_hex(base::ByteSpan(memory).subspan(engine::kKeptHeadBytes, 12)),
            "00000000000000010000003e");
}

TEST(KeptState, IsReadAsItWasWritten) {
  base::Bytes memory = with(sample());
  base::store_be64(&memory[engine::kPacketTimeAt], 1764500000);
  base::store_be64(&memory[engine::kReceivedAt], 7ull << 32 | 9);
  base::store_be64(&memory[engine::kBarredAt], 6);
  const auto kept = engine::read_kept(memory);
  ASSERT_TRUE(kept) << kept.error();
  EXPECT_EQ(kept->state, sample());
  EXPECT_EQ(kept->packet_time, 1764500000u);
  EXPECT_EQ(kept->received, 7ull << 32 | 9);
  EXPECT_EQ(kept->barred, 6u);
  ASSERT_TRUE(engine::write_kept(memory, another()));
  EXPECT_EQ(engine::read_kept(memory)->state, another());
  ASSERT_TRUE(engine::write_kept(memory, {}));
  EXPECT_EQ(engine::read_kept(memory)->state, KeptState{});
}

// A token that is void is in neither of the two places.
TEST(KeptState, WhatWasLongerIsCovered) {
  KeptState with_token = another();
  with_token.token = "TOKEN-THAT-IS-VOID";
  base::Bytes memory = with(with_token);
  ASSERT_TRUE(engine::write_kept(memory, with_token));
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(engine::write_kept(memory, KeptState{}));
  EXPECT_EQ(base::as_text(memory).find("THAT-IS-VOID"), std::string_view::npos);
}

// Byte by byte from what was there to what is written, in either order: whenever the writer is
// killed, there is the old state or the new one.
TEST(KeptState, IsWholeWheneverTheWriterIsKilled) {
  for (const bool backwards : {false, true}) {
    base::Bytes memory = with(sample());
    for (const KeptState& next : {another(), sample(), KeptState{}, another()}) {
      const KeptState before = engine::read_kept(memory)->state;
      base::Bytes after = memory;
      ASSERT_TRUE(engine::write_kept(after, next));
      std::vector<std::size_t> changed;
      for (std::size_t at = 0; at < memory.size(); ++at) {
        if (memory[at] != after[at]) changed.push_back(at);
      }
      if (backwards) std::ranges::reverse(changed);
      ASSERT_FALSE(changed.empty());
      for (const std::size_t at : changed) {
        const auto kept = engine::read_kept(memory);
        ASSERT_TRUE(kept) << at << ": " << kept.error();
        // What was longer is covered with zeros once the new one is whole.
        ASSERT_TRUE(kept->state == before || kept->state == next) << at;
        memory[at] = after[at];
      }
      EXPECT_EQ(engine::read_kept(memory)->state, next);
    }
  }
}

TEST(KeptState, IsNotBelievedWhenItIsForeignOrDamaged) {
  EXPECT_EQ(why_not({}), "it has another size");
  EXPECT_EQ(why_not(base::Bytes(engine::kKeptBytes)), "it is of another program");
  EXPECT_EQ(why_not(fresh()), "it holds no whole state");
  base::Bytes memory = with(sample());
  for (const std::size_t at : {8u, 11u, 12u, 15u}) {
    base::Bytes other = memory;
    ++other[at];
    EXPECT_EQ(why_not(other), "it is of another version") << at;
  }
  // The head of the one slot that was written, its sum, and all of its payload.
  for (std::size_t at = engine::kKeptHeadBytes; at < engine::kKeptHeadBytes + 300; ++at) {
    base::Bytes other = memory;
    other[at] ^= 0x80;
    if (other[at] == 0 && memory[at] == 0) continue;
    const auto kept = engine::read_kept(other);
    if (kept) {
      EXPECT_EQ(kept->state, sample()) << at;  // behind the end of the payload
    }
  }
  memory.pop_back();
  EXPECT_EQ(why_not(memory), "it has another size");
}

TEST(KeptState, HasALimit) {
  base::Bytes memory = with(sample());
  KeptState large = sample();
  large.device->standing.assign(engine::kKeptSlotBytes, 'x');
  EXPECT_FALSE(engine::write_kept(memory, large));
  EXPECT_EQ(engine::read_kept(memory)->state, sample());
}

TEST(KeptMemory, OutlivesWhoMadeIt) {
  base::UniqueFd fd;
  {
    auto memory = engine::KeptMemory::make();
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(engine::write_kept(memory->bytes(), sample()));
    memory->word(engine::kReceivedAt).set(77);
    fd.reset(::dup(memory->fd()));
    EXPECT_NE(::ftruncate(fd.get(), 0), 0);  // a reader must not meet SIGBUS
  }
  auto again = engine::KeptMemory::take_over(std::move(fd));
  ASSERT_NE(again, nullptr);
  const auto kept = engine::read_kept(again->bytes());
  ASSERT_TRUE(kept) << kept.error();
  EXPECT_EQ(kept->state, sample());
  EXPECT_EQ(kept->received, 77u);
  again->wipe();
  EXPECT_EQ(why_not(again->bytes()), "it is of another program");
}

TEST(KeptMemory, IsNotTakenFromAFileThatMayShrink) {
  base::UniqueFd plain(::memfd_create("tct", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(plain.get(), engine::kKeptBytes), 0);
  EXPECT_EQ(engine::KeptMemory::take_over(std::move(plain)), nullptr);
  EXPECT_EQ(engine::KeptMemory::take_over({}), nullptr);
  EXPECT_EQ(engine::KeptMemory::take_over(base::UniqueFd(::dup(0))), nullptr);
}

TEST(TakeOver, NeedsTheSameConfigAndAnInterface) {
  const KeptState kept = sample();
  engine::TakeOverFacts facts{kept.config, true, 1000};
  EXPECT_EQ(engine::why_not_taken_over(kept, facts), "");
  facts.config[31] ^= 1;
  EXPECT_EQ(engine::why_not_taken_over(kept, facts), "config or keys are others now");
  facts.config = kept.config;
  facts.device = false;
  EXPECT_EQ(engine::why_not_taken_over(kept, facts), "it had no interface yet");
  facts.device = true;
  KeptState before = kept;
  before.device.reset();
  EXPECT_EQ(engine::why_not_taken_over(before, facts), "it had no interface yet");
}

TEST(TakeOver, IsNotTriedAFourthTimeWithinAMinuteIfNobodyWasHeard) {
  KeptState kept = sample();
  kept.unheard.clear();
  for (const std::uint64_t now : {100, 102, 104}) {
    EXPECT_EQ(engine::why_not_taken_over(kept, {kept.config, true, now}), "") << now;
    kept.unheard = engine::unheard_with(kept, now);
  }
  EXPECT_NE(engine::why_not_taken_over(kept, {kept.config, true, 106}), "");
  EXPECT_NE(engine::why_not_taken_over(kept, {kept.config, true, 159}), "");
  EXPECT_EQ(engine::why_not_taken_over(kept, {kept.config, true, 160}), "");
  EXPECT_EQ(engine::why_not_taken_over(kept, {kept.config, true, 50}), "");  // another boot
  EXPECT_EQ(engine::unheard_with(kept, 163), (std::vector<std::uint64_t>{104, 163}));
}

TEST(TakeOver, ComesAfterAnEndThatNobodyAskedFor) {
  EXPECT_TRUE(engine::comes_back("signal", "killed", "KILL"));
  EXPECT_TRUE(engine::comes_back("watchdog", "killed", "ABRT"));
  EXPECT_TRUE(engine::comes_back("core-dump", "dumped", "SEGV"));
  EXPECT_TRUE(engine::comes_back("oom-kill", "killed", "KILL"));
  EXPECT_TRUE(engine::comes_back("exit-code", "exited", "1"));
  EXPECT_TRUE(engine::comes_back("success", "exited", "0"));  // left for a restart
  EXPECT_FALSE(engine::comes_back("exit-code", "exited", "78"));
  EXPECT_FALSE(engine::comes_back("success", "killed", "TERM"));  // stopped before it could listen
  EXPECT_FALSE(engine::comes_back("success", "", ""));            // no main process at all
  EXPECT_FALSE(engine::comes_back("timeout", "killed", "KILL"));
  EXPECT_FALSE(engine::comes_back("resources", "", ""));
  EXPECT_FALSE(engine::comes_back("", "", ""));
}

class MarkTest : public testing::Test {
 protected:
  MarkTest() {
    std::string pattern = "/tmp/tct-mark-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ + "/comes-back";
  }
  ~MarkTest() override {
    ::unlink(file_.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_, file_;
};

TEST_F(MarkTest, TellsAnEngineThatRunsFromOneThatDied) {
  using engine::MarkState;
  EXPECT_EQ(engine::mark_state(file_), MarkState::kNone);
  {
    engine::ComesBackMark mark(file_);
    EXPECT_EQ(mark.set(), "");
    EXPECT_EQ(mark.set(), "");
    EXPECT_EQ(engine::mark_state(file_), MarkState::kHeld);
  }
  EXPECT_EQ(engine::mark_state(file_), MarkState::kLeft);
  engine::ComesBackMark next(file_);
  EXPECT_EQ(next.set(), "");
  EXPECT_EQ(engine::mark_state(file_), MarkState::kHeld);
  next.clear();
  EXPECT_EQ(engine::mark_state(file_), MarkState::kNone);
  engine::ComesBackMark none("");
  EXPECT_EQ(none.set(), "");
}

// The time is kept before anything can be sent under it, and the next one is later, whatever became
// of the disk and the clock.
TEST_F(MarkTest, APacketTimeIsNeverUsedASecondTime) {
  const base::Log log([](base::LogLevel, std::string_view) {});
  auto memory = engine::KeptMemory::make();
  ASSERT_NE(memory, nullptr);
  ASSERT_TRUE(engine::write_kept(memory->bytes(), {}));
  base::UnixSeconds last = 0;
  for (const base::UnixSeconds clock : {1000, 1000, 5, 2000, 1500}) {
    engine::PacketTime time("", log);  // a disk that keeps nothing
    engine::KeptWord word = memory->word(engine::kPacketTimeAt);
    time.keep_also([&](base::UnixSeconds used) { word.set(static_cast<std::uint64_t>(used)); },
                   static_cast<base::UnixSeconds>(engine::read_kept(memory->bytes())->packet_time));
    const base::UnixSeconds claimed = time.claim(clock);
    EXPECT_GT(claimed, last);
    EXPECT_EQ(engine::read_kept(memory->bytes())->packet_time, static_cast<std::uint64_t>(claimed));
    last = claimed;
  }
}

}  // namespace
