// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/cipher_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "fastpath/crypto/library.h"

namespace {

using crypto::CipherChoice;
using crypto::PacketCipher;
using crypto::PacketJob;
using testing::HasSubstr;

// In the place of a library: EVP's ciphers, slow or wrong.
class Lanes : public crypto::MultiBuffer {
 public:
  explicit Lanes(bool wrong = false) : wrong_(wrong) {}
  crypto::PacketCipherHandle make(const std::string& cipher, const std::string& auth,
                                  const crypto::PacketKeys& keys, crypto::Way way) override {
    return std::make_unique<Cipher>(crypto::make_evp_cipher(library_, cipher, auth, keys, way),
                                    wrong_);
  }

 private:
  class Cipher final : public PacketCipher {
   public:
    Cipher(crypto::PacketCipherHandle evp, bool wrong) : evp_(std::move(evp)), wrong_(wrong) {}
    void run(std::span<PacketJob> jobs) override {
      evp_->run(jobs);
      if (wrong_) jobs.front().text.front() ^= 1;
    }
    std::size_t nonce_bytes() const override { return evp_->nonce_bytes(); }
    std::size_t tag_bytes() const override { return evp_->tag_bytes(); }

   private:
    const crypto::PacketCipherHandle evp_;
    const bool wrong_;
  };

  crypto::Library library_;
  const bool wrong_;
};

class CipherSetup : public testing::Test {
 protected:
  CipherSetup() {
    std::string pattern = "/tmp/tct-cipher-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    file_ = folder_ + "/crypto-speed";
  }
  ~CipherSetup() override {
    ::unlink(file_.c_str());
    ::rmdir(folder_.c_str());
  }
  CipherChoice choose(bool wrong = false) {
    return engine::choose_ciphers(std::make_unique<Lanes>(wrong), file_, log_);
  }
  std::string folder_, file_, told_;
  base::Log log_{[this](base::LogLevel, std::string_view line) {
    told_ += line;
    told_ += "\n";
  }};
};

TEST_F(CipherSetup, WithoutALibraryThereIsNothingToDecide) {
  EXPECT_FALSE(engine::choose_ciphers(nullptr, file_, log_).any());
  EXPECT_NE(::access(file_.c_str(), F_OK), 0);
  EXPECT_EQ(told_, "");
}

TEST_F(CipherSetup, WhatFailsItsSelfTestIsNotUsedAndToldOnce) {
  EXPECT_FALSE(choose(true).any());
  EXPECT_THAT(told_, HasSubstr("fails its self-test (AES-128-GCM)"));
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 1);
  EXPECT_NE(::access(file_.c_str(), F_OK), 0);
}

TEST_F(CipherSetup, TheMeasurementIsKeptAndBelieved) {
  choose();
  const std::string kept = base::read_file(file_).value();
  EXPECT_THAT(kept, HasSubstr(crypto::Library::version()));
  // Something that no measurement says.
  CipherChoice strange;
  for (std::size_t i = 0; i < CipherChoice::kFamilies.size(); ++i) strange.use(i, 7 + i);
  const std::string key = kept.substr(0, kept.find("AES-GCM "));
  ASSERT_EQ(base::write_file_atomically(file_, key + strange.to_text(), 0600), "");
  EXPECT_EQ(choose(), strange);
  // Believed, and tested in every run.
  EXPECT_FALSE(choose(true).any());
  EXPECT_THAT(told_, HasSubstr("self-test"));
}

TEST_F(CipherSetup, AnotherMachinesMeasurementAndADamagedOneAreMadeAnew) {
  choose();
  const std::string kept = base::read_file(file_).value();
  CipherChoice strange;
  for (std::size_t i = 0; i < CipherChoice::kFamilies.size(); ++i) strange.use(i, 7 + i);
  const std::string key = kept.substr(0, kept.find("AES-GCM "));
  for (const std::string& text : {"another processor\n" + key + strange.to_text(),
                                  key + strange.to_text() + "more", std::string()}) {
    ASSERT_EQ(base::write_file_atomically(file_, text, 0600), "");
    EXPECT_NE(choose(), strange);
    EXPECT_THAT(base::read_file(file_).value(), testing::StartsWith(key));
  }
  EXPECT_EQ(told_, "");
}

TEST_F(CipherSetup, IsDescribedInWords) {
  CipherChoice choice;
  EXPECT_EQ(engine::describe_cipher(choice, "AES-256-GCM", "SHA1"),
            "AES-256-GCM by " + crypto::Library::version());
  EXPECT_EQ(engine::describe_cipher(choice, "BF-CBC", "SHA1"),
            "BF-CBC with SHA1 by " + crypto::Library::version());
  EXPECT_THAT(engine::cipher_library(choice, "BF-CBC", "SHA1"), HasSubstr("OpenSSL-3"));
  for (std::size_t i = 0; i < CipherChoice::kFamilies.size(); ++i) choice.use(i, i == 0 ? 1 : 4);
  EXPECT_EQ(engine::describe_cipher(choice, "AES-256-GCM", "SHA1"),
            "AES-256-GCM by " + crypto::MultiBuffer::version());
  EXPECT_EQ(engine::describe_cipher(choice, "AES-256-CBC", "SHA512"),
            "AES-256-CBC with SHA512 by " + crypto::MultiBuffer::version() +
                " from 4 packets on, else by " + crypto::Library::version());
}

}  // namespace
