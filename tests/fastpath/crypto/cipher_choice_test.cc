// SPDX-License-Identifier: Apache-2.0
// How it is decided which implementation is used: the self-test, the measurement, what is kept.
#include "fastpath/crypto/cipher_choice.h"

#include <utility>

#include <gtest/gtest.h>

#include "fastpath/crypto/cipher_trial.h"

namespace {

using crypto::CipherChoice;
using crypto::PacketCipher;
using crypto::PacketCipherHandle;
using crypto::PacketJob;
using crypto::Way;

TEST(CipherChoice, KeySizesAreOneFamily) {
  const auto family = [](const char* cipher, const char* auth) {
    const auto index = CipherChoice::family_of(cipher, auth);
    return index ? std::string(CipherChoice::kFamilies[*index].name) : "";
  };
  EXPECT_EQ(family("AES-128-GCM", "SHA1"), "AES-GCM");  // which has no digest
  EXPECT_EQ(family("AES-128-GCM", ""), "AES-GCM");
  EXPECT_EQ(family("AES-192-CBC", "SHA512"), "AES-CBC+SHA512");
  EXPECT_EQ(family("AES-256-CBC", "none"), "AES-CBC");
  EXPECT_EQ(family("none", "SHA256"), "SHA256");
  for (const char* cipher : {"CHACHA20-POLY1305", "BF-CBC", "CAMELLIA-256-CBC", "AES-512-CBC"}) {
    EXPECT_EQ(family(cipher, "SHA256"), "") << cipher;
  }
  EXPECT_EQ(family("none", "none"), "");
  EXPECT_EQ(family("none", "MD5"), "");
}

TEST(CipherChoice, TextIsReadBack) {
  CipherChoice choice;
  EXPECT_FALSE(choice.any());
  EXPECT_EQ(CipherChoice::parse(choice.to_text()), choice);
  choice.use(0, 1);
  choice.use(4, 16);
  EXPECT_TRUE(choice.any());
  EXPECT_EQ(CipherChoice::parse(choice.to_text()), choice);
  EXPECT_EQ(choice.from_packets("AES-128-GCM", ""), 1u);
  EXPECT_EQ(choice.from_packets("AES-128-CBC", "SHA512"), 16u);
  EXPECT_EQ(choice.from_packets("AES-128-CBC", "SHA1"), CipherChoice::kNever);
}

TEST(CipherChoice, DamageIsSeen) {
  const std::string text = CipherChoice().to_text();
  for (std::size_t length = 0; length + 1 < text.size(); ++length) {
    EXPECT_EQ(CipherChoice::parse(text.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(CipherChoice::parse(text + "AES-XTS 1\n"), std::nullopt);
  for (const char* value : {"0", "-1", "many", "1025"}) {
    std::string bad = text;
    bad.replace(bad.find("never"), 5, value);
    EXPECT_EQ(CipherChoice::parse(bad), std::nullopt) << value;
  }
}

// EVP's ciphers in the place of a library's, with a twist.
class TwistedLanes : public crypto::MultiBuffer {
 public:
  enum class Twist { kNone, kText, kTag, kAcceptsAll, kRefuses };
  TwistedLanes(Twist twist, std::string cipher, std::string auth, base::TimePoint* now = nullptr,
               base::Duration cost = {})
      : twist_(twist), cipher_(std::move(cipher)), auth_(std::move(auth)), now_(now), cost_(cost) {}

  PacketCipherHandle make(const std::string& cipher, const std::string& auth,
                          const crypto::PacketKeys& keys, Way way) override {
    const bool twisted = cipher == cipher_ && auth == auth_;
    return std::make_unique<Cipher>(*this,
                                    crypto::make_evp_cipher(library_, cipher, auth, keys, way), way,
                                    twisted ? twist_ : Twist::kNone);
  }

 private:
  class Cipher final : public PacketCipher {
   public:
    Cipher(TwistedLanes& lanes, PacketCipherHandle evp, Way way, Twist twist)
        : lanes_(lanes), evp_(std::move(evp)), way_(way), twist_(twist) {}
    void run(std::span<PacketJob> jobs) override {
      evp_->run(jobs);
      if (lanes_.now_ != nullptr) {
        *lanes_.now_ += lanes_.cost_ * static_cast<std::int64_t>(jobs.size());
      }
      PacketJob& last = jobs.back();
      if (twist_ == Twist::kText && way_ == Way::kOpen) last.text.back() ^= 1;
      if (twist_ == Twist::kTag && way_ == Way::kSeal) last.tag.back() ^= 1;
      if (twist_ == Twist::kAcceptsAll && way_ == Way::kOpen) {
        for (PacketJob& job : jobs) job.ok = true;
      }
      if (twist_ == Twist::kRefuses) last.ok = false;
    }
    std::size_t nonce_bytes() const override { return evp_->nonce_bytes(); }
    std::size_t tag_bytes() const override { return evp_->tag_bytes(); }

   private:
    TwistedLanes& lanes_;
    PacketCipherHandle evp_;
    const Way way_;
    const Twist twist_;
  };

  crypto::Library library_;
  const Twist twist_;
  const std::string cipher_, auth_;
  base::TimePoint* const now_;
  const base::Duration cost_;
};
using Twist = TwistedLanes::Twist;

TEST(SelfTest, FindsWhoeverIsDifferent) {
  crypto::Library library;
  TwistedLanes honest(Twist::kNone, "", "");
  EXPECT_EQ(crypto::find_disagreement(library, honest), "");
  for (const Twist twist : {Twist::kText, Twist::kTag, Twist::kAcceptsAll, Twist::kRefuses}) {
    TwistedLanes gcm(twist, "AES-192-GCM", "");
    EXPECT_EQ(crypto::find_disagreement(library, gcm), "AES-192-GCM");
    TwistedLanes cbc(twist, "AES-256-CBC", "SHA512");
    EXPECT_EQ(crypto::find_disagreement(library, cbc), "AES-256-CBC with SHA512");
  }
}

TEST(SelfTest, TheLibraryOfThisBuildPasses) {
  const auto lanes = crypto::MultiBuffer::make();
  if (!lanes)
    GTEST_SKIP()
        << "SKIPPED: needs multi-buffer: no such library in this build, or not for this CPU";
  crypto::Library library;
  EXPECT_EQ(crypto::find_disagreement(library, *lanes), "");
}

// Asking the clock takes 80 ns and EVP nothing, so four packets cost 80 ns, one 20.
TEST(Measurement, FindsFromHowManyPacketsOnItIsWorthIt) {
  using namespace std::chrono_literals;
  struct Row {
    base::Duration per_packet;  // each way
    std::size_t from;
  };
  // `count` packets cost 80 + 2 * per_packet * count, against 20 * count.
  for (const Row& row :
       {Row{0ns, 8}, Row{6ns, 16}, Row{8ns, 32}, Row{10ns, CipherChoice::kNever}}) {
    crypto::Library library;
    base::TimePoint now{};
    TwistedLanes lanes(Twist::kNone, "", "", &now, row.per_packet);
    const CipherChoice choice = crypto::measure(library, lanes, [&now] { return now += 80ns; });
    EXPECT_EQ(choice.from_packets("AES-256-GCM", ""), row.from) << row.per_packet.count();
    EXPECT_EQ(choice.from_packets("none", "SHA512"), row.from) << row.per_packet.count();
  }
}

}  // namespace
