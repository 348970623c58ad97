// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace base {
namespace {

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "tunctl-file-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(FileTest, ReplacesWholeAndLeavesNothingBeside) {
  const std::string path = folder_ + "/key";
  ASSERT_EQ(write_file_atomically(path, "one", 0600), "");
  ASSERT_EQ(write_file_atomically(path, "two", 0400), "");
  EXPECT_EQ(read_file(path).value(), "two");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0400u);
  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(FileTest, FailureNamesThePathAndLeavesNothing) {
  EXPECT_NE(write_file_atomically(folder_ + "/no/key", "x", 0600).find("/no/"), std::string::npos);
  std::filesystem::create_directory(folder_ + "/taken");
  EXPECT_NE(write_file_atomically(folder_ + "/taken", "x", 0600), "");
  const auto entries = std::filesystem::directory_iterator(folder_);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST_F(FileTest, AnEndlessFileIsRefused) {
  EXPECT_NE(read_file("/dev/zero", 100000).error().message.find("larger"), std::string::npos);
  EXPECT_FALSE(read_file(folder_ + "/absent").ok());
}

TEST(Random, FillsEveryByteSooner) {
  // Each byte stays zero in all of 64 draws with probability 2^-512.
  Bytes seen(32);
  for (int round = 0; round < 64; ++round) {
    Bytes drawn(32);
    random_bytes(drawn);
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] |= drawn[i];
  }
  for (const auto byte : seen) EXPECT_NE(byte, 0);
}

}  // namespace
}  // namespace base
