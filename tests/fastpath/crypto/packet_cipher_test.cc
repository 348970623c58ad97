// SPDX-License-Identifier: Apache-2.0
// Both implementations of every packet cipher, against each other and against damage.
#include "fastpath/crypto/packet_cipher.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/error.h"
#include "fastpath/crypto/multi_buffer.h"

namespace {

using base::Bytes;
using crypto::PacketCipher;
using crypto::PacketCipherHandle;
using crypto::PacketJob;
using crypto::Way;

constexpr std::size_t kLengthMax = 2100;
constexpr std::size_t kBlock = 16;

struct Suite {
  const char *cipher, *auth;
};
const Suite kSuites[] = {
    {"AES-128-GCM", ""},       {"AES-192-GCM", ""},       {"AES-256-GCM", ""},
    {"AES-128-CBC", "none"},   {"AES-256-CBC", "none"},   {"AES-128-CBC", "SHA1"},
    {"AES-192-CBC", "SHA1"},   {"AES-256-CBC", "SHA1"},   {"AES-128-CBC", "SHA256"},
    {"AES-256-CBC", "SHA256"}, {"AES-128-CBC", "SHA512"}, {"AES-192-CBC", "SHA512"},
    {"AES-256-CBC", "SHA512"}, {"none", "SHA1"},          {"none", "SHA256"},
    {"none", "SHA512"},
};

Bytes numbers(std::size_t size, std::uint8_t first) {
  Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + i * 13);
  return bytes;
}

// One packet: tag, IV and text behind each other, with guards that nobody may touch.
struct Slot {
  Slot(const PacketCipher& cipher, std::size_t length) {
    const std::size_t tag = cipher.tag_bytes(), nonce = cipher.nonce_bytes();
    const std::size_t text = nonce == kBlock ? length / kBlock * kBlock + kBlock : length;
    bytes = numbers(kGuard + tag + nonce + text + kGuard, static_cast<std::uint8_t>(length));
    const base::MutableByteSpan all(bytes);
    job.tag = all.subspan(kGuard, tag);
    job.nonce = all.subspan(kGuard + tag, nonce);
    job.text = all.subspan(kGuard + tag + nonce, text);
    if (nonce == 12) job.associated = associated;
  }
  Bytes text() const { return {job.text.begin(), job.text.end()}; }
  bool guards_stand(const Slot& original) const {
    return std::equal(bytes.begin(), bytes.begin() + kGuard, original.bytes.begin()) &&
           std::equal(bytes.end() - kGuard, bytes.end(), original.bytes.end() - kGuard);
  }

  static constexpr std::size_t kGuard = 64;
  Bytes associated = numbers(8, 3);
  Bytes bytes;
  PacketJob job;
};

// Slots of all lengths; jobs are copied in and verdicts back.
class Packets {
 public:
  Packets(const PacketCipher& cipher, std::size_t first, std::size_t last) {
    for (std::size_t length = first; length <= last; ++length) {
      slots_.push_back(std::make_unique<Slot>(cipher, length));
    }
  }
  void run(PacketCipher& cipher) {
    std::vector<PacketJob> jobs;
    for (const auto& slot : slots_) jobs.push_back(slot->job);
    cipher.run(jobs);
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i]->job.ok = jobs[i].ok;
  }
  std::size_t size() const { return slots_.size(); }
  Slot& operator[](std::size_t i) { return *slots_[i]; }

 private:
  std::vector<std::unique_ptr<Slot>> slots_;
};

class PacketCiphers : public testing::TestWithParam<Suite> {
 protected:
  void SetUp() override {
    if (!lanes)
      GTEST_SKIP()
          << "SKIPPED: needs multi-buffer: no such library in this build, or not for this CPU";
  }
  PacketCipherHandle evp(Way way) {
    return crypto::make_evp_cipher(library, GetParam().cipher, GetParam().auth, keys, way);
  }
  PacketCipherHandle many(Way way) {
    PacketCipherHandle made = lanes->make(GetParam().cipher, GetParam().auth, keys, way);
    EXPECT_NE(made, nullptr);
    return made;
  }
  bool authenticates() const { return std::string(GetParam().auth) != "none"; }

  crypto::Library library;
  std::unique_ptr<crypto::MultiBuffer> lanes = crypto::MultiBuffer::make();
  const Bytes cipher_key = numbers(64, 1), hmac_key = numbers(64, 2);
  const crypto::PacketKeys keys{cipher_key, hmac_key};
};

TEST_P(PacketCiphers, AgreeByteForByteAtEveryLength) {
  const auto evp_seal = evp(Way::kSeal), evp_open = evp(Way::kOpen);
  const auto many_seal = many(Way::kSeal), many_open = many(Way::kOpen);
  ASSERT_EQ(many_seal->nonce_bytes(), evp_seal->nonce_bytes());
  ASSERT_EQ(many_seal->tag_bytes(), evp_seal->tag_bytes());
  Packets here(*evp_seal, 1, kLengthMax), there(*evp_seal, 1, kLengthMax);
  Packets clear(*evp_seal, 1, kLengthMax);
  here.run(*evp_seal);
  there.run(*many_seal);
  for (std::size_t i = 0; i < here.size(); ++i) {
    ASSERT_TRUE(here[i].job.ok && there[i].job.ok) << i;
    ASSERT_EQ(here[i].bytes, there[i].bytes) << i;
    ASSERT_TRUE(there[i].guards_stand(clear[i])) << i;
  }
  // Each opens what the other sealed.
  there.run(*evp_open);
  here.run(*many_open);
  for (std::size_t i = 0; i < here.size(); ++i) {
    ASSERT_TRUE(here[i].job.ok && there[i].job.ok) << i;
    ASSERT_EQ(here[i].text(), clear[i].text()) << i;
    ASSERT_EQ(there[i].text(), clear[i].text()) << i;
    ASSERT_TRUE(here[i].guards_stand(clear[i])) << i;
  }
}

TEST_P(PacketCiphers, ALonePacketIsDoneAtOnce) {
  const auto evp_open = evp(Way::kOpen);
  const auto many_seal = many(Way::kSeal), many_open = many(Way::kOpen);
  for (const std::size_t length : {1u, 64u, 1400u}) {
    Packets one(*many_seal, length, length), clear(*many_seal, length, length);
    one.run(*many_seal);
    ASSERT_TRUE(one[0].job.ok);
    EXPECT_NE(one[0].bytes, clear[0].bytes);
    one.run(*many_open);
    ASSERT_TRUE(one[0].job.ok);
    EXPECT_EQ(one[0].text(), clear[0].text());
  }
}

TEST_P(PacketCiphers, EachPacketHasItsOwnVerdict) {
  if (!authenticates()) return;
  const auto many_seal = many(Way::kSeal);
  for (const auto& open : {evp(Way::kOpen), many(Way::kOpen)}) {
    Packets packets(*many_seal, 100, 140), clear(*many_seal, 100, 140);
    packets.run(*many_seal);
    const auto damaged = [](std::size_t i) { return i % 5 == 2; };
    for (std::size_t i = 0; i < packets.size(); ++i) {
      if (!damaged(i)) continue;
      // In turn: the tag's ends, the text's ends, the last bit of all.
      Slot& slot = packets[i];
      std::uint8_t* const places[] = {&slot.job.tag.front(), &slot.job.tag.back(),
                                      &slot.job.text.front(), &slot.job.text.back()};
      *places[i / 5 % 4] ^= i % 2 == 0 ? 0x80 : 0x01;
    }
    packets.run(*open);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      EXPECT_EQ(packets[i].job.ok, !damaged(i)) << i;
      if (!damaged(i)) {
        EXPECT_EQ(packets[i].text(), clear[i].text()) << i;
      }
    }
  }
}

TEST_P(PacketCiphers, WhatIsCutShortFails) {
  if (!authenticates()) return;
  const auto many_seal = many(Way::kSeal);
  for (const auto& open : {evp(Way::kOpen), many(Way::kOpen)}) {
    Packets packet(*many_seal, 80, 80);
    packet.run(*many_seal);
    const Bytes sealed = packet[0].bytes;
    const base::MutableByteSpan whole = packet[0].job.text;
    for (std::size_t length = 1; length < whole.size(); ++length) {
      packet[0].bytes = sealed;
      packet[0].job.text = whole.first(length);
      packet.run(*open);
      ASSERT_FALSE(packet[0].job.ok) << length;
    }
  }
}

TEST_P(PacketCiphers, TheSizeOfTheBatchDecides) {
  crypto::CipherChoice choice;
  const auto family = crypto::CipherChoice::family_of(GetParam().cipher, GetParam().auth);
  ASSERT_TRUE(family);
  choice.use(*family, 3);
  crypto::Library chosen(choice);
  ASSERT_NE(chosen.multi_buffer(), nullptr);
  const auto seal =
      crypto::make_packet_cipher(chosen, GetParam().cipher, GetParam().auth, keys, Way::kSeal);
  const auto evp_seal = evp(Way::kSeal);
  for (const std::size_t packets : {1u, 2u, 3u, 64u, 200u}) {
    Packets here(*evp_seal, 1, packets), there(*evp_seal, 1, packets);
    here.run(*evp_seal);
    there.run(*seal);
    for (std::size_t i = 0; i < packets; ++i) ASSERT_EQ(here[i].bytes, there[i].bytes) << i;
  }
  // What the lanes cannot count goes another way.
  const std::size_t long_text = 2 * crypto::MultiBuffer::kTextBytesMax;
  Packets here(*evp_seal, long_text, long_text + 3), there(*evp_seal, long_text, long_text + 3);
  here.run(*evp_seal);
  there.run(*seal);
  for (std::size_t i = 0; i < here.size(); ++i) ASSERT_EQ(here[i].bytes, there[i].bytes) << i;
}

INSTANTIATE_TEST_SUITE_P(All, PacketCiphers, testing::ValuesIn(kSuites), [](const auto& info) {
  std::string name = std::string(info.param.cipher) + "_" + info.param.auth;
  std::erase(name, '-');
  return name;
});

TEST(PacketCipher, WhatTheLanesDoNotHaveIsDoneByEvp) {
  crypto::CipherChoice choice;
  for (std::size_t i = 0; i < crypto::CipherChoice::kFamilies.size(); ++i) choice.use(i, 1);
  crypto::Library library(choice);
  const Bytes key = numbers(64, 1);
  const Suite others[] = {{"CHACHA20-POLY1305", ""}, {"BF-CBC", "SHA1"},
                          {"AES-256-CBC", "SHA384"}, {"CAMELLIA-256-CBC", "SHA256"},
                          {"none", "MD5"},           {"none", "none"}};
  for (const Suite& suite : others) {
    const auto seal =
        crypto::make_packet_cipher(library, suite.cipher, suite.auth, {key, key}, Way::kSeal);
    const auto open =
        crypto::make_packet_cipher(library, suite.cipher, suite.auth, {key, key}, Way::kOpen);
    Bytes bytes = numbers(64 + 16 + 96, 9);
    const Bytes before = bytes;
    const base::MutableByteSpan all(bytes);
    PacketJob job;
    job.tag = all.subspan(0, seal->tag_bytes());
    job.nonce = all.subspan(80 - seal->nonce_bytes(), seal->nonce_bytes());
    job.text = all.subspan(80);
    seal->run({&job, 1});
    ASSERT_TRUE(job.ok) << suite.cipher;
    open->run({&job, 1});
    ASSERT_TRUE(job.ok) << suite.cipher;
    EXPECT_TRUE(std::equal(bytes.begin() + 80, bytes.end(), before.begin() + 80)) << suite.cipher;
  }
}

TEST(PacketCipher, AKeyOfZerosIsRefused) {
  crypto::Library library;
  const Bytes zeros(64);
  for (const Suite& suite : {Suite{"AES-256-GCM", ""}, Suite{"AES-256-CBC", "SHA256"}}) {
    EXPECT_THROW(
        crypto::make_packet_cipher(library, suite.cipher, suite.auth, {zeros, zeros}, Way::kSeal),
        base::FatalError);
  }
}

}  // namespace
