// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "base/unique_fd.h"

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

TEST_F(FileTest, APipeIsReadIfSomebodyWrites) {
  const std::string path = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(read_file(path).error().message.find("a pipe that nothing comes out of"),
            std::string::npos);
  UniqueFd both(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  std::thread writer([&path] {
    const UniqueFd end(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(::write(end.get(), "late", 4), 4);
  });
  // A writer that is slower than the reader.
  std::string got;
  std::thread reader([&] { got = read_file(path).value(); });
  writer.join();
  // Closed before the reader has come, the last end would take what is in the pipe with it.
  for (int waiting = 1; waiting != 0; ::usleep(1000)) {
    ASSERT_EQ(::ioctl(both.get(), FIONREAD, &waiting), 0);
  }
  both.reset();
  reader.join();
  EXPECT_EQ(got, "late");
}

// A process that is killed while it writes: the folder is seen without a trace of it.
TEST_F(FileTest, AWriterThatIsKilledLeavesNothing) {
  const std::string path = folder_ + "/key";
  const std::string large(4 << 20, 'k');
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    rlimit limit{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);  // SIGXFSZ ends it in the middle of the bytes
    static_cast<void>(write_file_atomically(path, large, 0600));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    // Only where the file system knows no files without names.
    EXPECT_TRUE(is_leftover_of("key", entry.path().filename().string()));
    const UniqueFd unnamed(::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
    EXPECT_FALSE(unnamed) << entry.path();
  }
}

TEST_F(FileTest, ANamedFileIsReplacedOnlyWhereItIsOne) {
  const std::string plain = folder_ + "/plain", link = folder_ + "/link", pipe = folder_ + "/pipe";
  ASSERT_EQ(write_named_file(plain, "one", 0600), "");
  const UniqueFd old(::open(plain.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(write_named_file(plain, "two", 0600), "");
  char byte = 0;
  EXPECT_EQ(::pread(old.get(), &byte, 1, 0), 1);
  EXPECT_EQ(byte, 'o') << "not replaced in one step";

  ASSERT_EQ(::symlink("plain", link.c_str()), 0);
  EXPECT_EQ(write_named_file(link, "through", 0600), "");
  EXPECT_EQ(read_file(plain).value(), "through");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(write_named_file(link, "short", 0600), "");
  EXPECT_EQ(read_file(plain).value(), "short");

  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(write_named_file(pipe, "lost", 0600),
            "cannot write " + pipe + ": it is a pipe that nobody reads");
  const UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_EQ(write_named_file(pipe, "x", 0600), "");
  EXPECT_EQ(::read(reader.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(write_named_file("/dev/null", "x", 0600), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
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
