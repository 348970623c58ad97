// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/ask_socket.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"

namespace {

using io::AskSocket;

class AskSocketTest : public testing::Test {
 protected:
  AskSocketTest() {
    char name[] = "/tmp/tct-ask-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  ~AskSocketTest() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/ask"; }

  base::UniqueFd call() const {
    base::UniqueFd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string at = path();
    std::copy(at.begin(), at.end(), address.sun_path);
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      fd.reset();
    }
    return fd;
  }
  static std::string receive(const base::UniqueFd& fd) {
    char packet[256];
    const ssize_t got = ::recv(fd.get(), packet, sizeof packet, MSG_DONTWAIT);
    return got < 0 ? "(nothing)" : std::string(packet, static_cast<std::size_t>(got));
  }
  static void send(const base::UniqueFd& fd, std::string_view text) {
    EXPECT_EQ(::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  static bool ready(const AskSocket& ask) {
    pollfd one{ask.fd(), POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
  }

  std::string folder_;
};

TEST_F(AskSocketTest, TellsTheQuestionAndTakesOneAnswer) {
  AskSocket ask(path());
  ASSERT_TRUE(ask.open()) << ask.problem();
  struct stat status {};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0600u);
  ask.ask("secret Your code");
  EXPECT_FALSE(ready(ask));
  const auto caller = call();
  EXPECT_TRUE(ready(ask));
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(caller), "secret Your code");
  send(caller, "123 456\n");
  EXPECT_TRUE(ready(ask));
  EXPECT_EQ(ask.take_answer(), "123 456");
  EXPECT_EQ(receive(caller), "ok");
  EXPECT_FALSE(ready(ask));
  const auto next = call();
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(next), "") << "nothing is asked any more";
}

TEST_F(AskSocketTest, AnEmptyAnswerIsOne) {
  AskSocket ask(path());
  ask.ask("text Continue?");
  const auto caller = call();
  EXPECT_FALSE(ask.take_answer());
  send(caller, "\n");
  EXPECT_EQ(ask.take_answer(), "");
}

TEST_F(AskSocketTest, AnAnswerToAnOlderQuestionIsLate) {
  AskSocket ask(path());
  ask.ask("secret one");
  const auto caller = call();
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(caller), "secret one");
  ask.ask("secret two");
  send(caller, "1\n");
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(caller), "late");
}

TEST_F(AskSocketTest, WhoComesLaterTakesThePlaceOfWhoForgot) {
  AskSocket ask(path());
  ask.ask("secret one");
  const auto first = call();
  EXPECT_FALSE(ask.take_answer());
  const auto second = call();
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(second), "secret one");
  EXPECT_EQ(receive(first), "secret one");
  EXPECT_EQ(receive(first), "") << "it was hung up on";
  send(second, "2\n");
  EXPECT_EQ(ask.take_answer(), "2");
}

TEST_F(AskSocketTest, WhoGoesAwayLeavesTheQuestion) {
  AskSocket ask(path());
  ask.ask("secret one");
  { const auto caller = call(); }
  EXPECT_FALSE(ask.take_answer());
  EXPECT_FALSE(ask.take_answer());
  EXPECT_FALSE(ready(ask));
  const auto again = call();
  EXPECT_FALSE(ask.take_answer());
  EXPECT_EQ(receive(again), "secret one");
}

TEST_F(AskSocketTest, TakesThePlaceOfADeadOneAndOfNothingElse) {
  { const base::UniqueFd left(::socket(AF_UNIX, SOCK_SEQPACKET, 0)); }
  {
    AskSocket first(path());
    ASSERT_TRUE(first.open());
    ASSERT_EQ(::rename(path().c_str(), (path() + "2").c_str()), 0);
  }
  ASSERT_EQ(::rename((path() + "2").c_str(), path().c_str()), 0);
  { EXPECT_TRUE(AskSocket(path()).open()); }
  EXPECT_FALSE(std::filesystem::exists(path()));
  ASSERT_EQ(base::write_file_atomically(path(), "mine", 0600), "");
  AskSocket refused(path());
  EXPECT_FALSE(refused.open());
  EXPECT_NE(refused.problem().find("ask: cannot make " + path()), std::string::npos);
  EXPECT_EQ(base::read_file(path()).value(), "mine");
}

TEST_F(AskSocketTest, WithoutAPathNobodyIsAsked) {
  AskSocket none("");
  EXPECT_FALSE(none.open());
  EXPECT_EQ(none.problem(), "");
  EXPECT_EQ(none.fd(), -1);
  none.ask("secret x");
  EXPECT_FALSE(none.take_answer());
  EXPECT_NE(AskSocket("/tmp/" + std::string(200, 'x')).problem(), "");
}

}  // namespace
