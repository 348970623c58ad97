// SPDX-License-Identifier: Apache-2.0
// What the two ends of the helper's socket say to each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "fastpath/hostnet/helper_client.h"
#include "fastpath/hostnet/helper_request.h"

namespace {

using hostnet::AskPerson;
using hostnet::HelperAnswer;
using hostnet::HelperRequest;
using hostnet::parse_request;
using hostnet::SetNameServers;
using hostnet::UndoNameServers;

SetNameServers a_set() {
  SetNameServers set{"nl", {}, true};
  set.plan.servers = {{*base::IpAddress::parse("10.0.0.53"), 0},
                      {*base::IpAddress::parse("fd00::53"), 5353}};
  set.plan.search = {"corp.example"};
  set.plan.routing = {"deep.example", "lab_1.example"};
  set.plan.all_names = false;
  return set;
}

constexpr const char* kSet =
    "set-name-servers nl\nwhole-machine\nserver 10.0.0.53 0\nserver fd00::53 5353\n"
    "search corp.example\nrouting deep.example\nrouting lab_1.example\nall-names no\n";

TEST(HelperRequestText, ExactBytesAndBack) {
  const std::pair<HelperRequest, std::string> cases[] = {
      {a_set(), kSet},
      {SetNameServers{"tun0", {{{*base::IpAddress::parse("10.0.0.1"), 0}}, {}, {}, {}}, false},
       "set-name-servers tun0\nlink-only\nserver 10.0.0.1 0\n"},
      {UndoNameServers{"nl"}, "undo-name-servers nl\n"},
      {AskPerson{"Your code?", true}, "ask seen\nYour code?\n"},
      {AskPerson{"G\xc3\xbc ltig?", false}, "ask unseen\nG\xc3\xbc ltig?\n"},
  };
  for (const auto& [request, text] : cases) {
    EXPECT_EQ(format_request(request), text);
    const auto read = parse_request(text);
    ASSERT_TRUE(read) << text;
    EXPECT_TRUE(*read == request) << text;
  }
}

// Cut anywhere it is nothing, but where a line less is a request as well.
TEST(HelperRequestText, CutAnywhereItIsRefusedOrWhole) {
  const std::string text = kSet;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto read = parse_request(text.substr(0, length));
    if (read) {
      EXPECT_EQ(format_request(*read), text.substr(0, length));
    }
    EXPECT_EQ(read.has_value(), length > 0 && text[length - 1] == '\n' && length > 52) << length;
  }
}

TEST(HelperRequestText, OneSpellingOnly) {
  const std::string many(33 * 20, 'x');
  std::string servers = "set-name-servers nl\nlink-only\n";
  for (int i = 0; i < 33; ++i) servers += "server 10.0.0." + std::to_string(i) + " 0\n";
  for (const std::string& text : {
           std::string("undo-name-servers nl"),
           std::string("undo-name-servers  nl\n"),
           std::string("undo-name-servers nl\n\n"),
           std::string("undo-name-servers nl\r\n"),
           std::string("undo-name-servers nl\0\n", 22),
           std::string("undo-name-servers ../x\n"),
           std::string("undo-name-servers ..\n"),
           std::string("undo-name-servers a-name-too-long1\n"),
           std::string("undo-name-servers nl\nserver 10.0.0.1 0\n"),
           std::string("set-name-servers nl\nwhole-machine\n"),
           std::string("set-name-servers nl\nserver 10.0.0.1 0\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 00\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 65536\n"),
           std::string("set-name-servers nl\nlink-only\nserver 010.0.0.1 0\n"),
           std::string("set-name-servers nl\nlink-only\nserver FD00::1 0\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 0\nsearch a b\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 0\nsearch a;b\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 0\nall-names maybe\n"),
           std::string("set-name-servers nl\nlink-only\nserver 10.0.0.1 0\noptions debug\n"),
           "set-name-servers nl\nlink-only\nserver 10.0.0.1 0\nsearch " + many + "\n",
           servers,
           std::string("ask seen\n"),
           std::string("ask seen\n\n"),
           std::string("ask aloud\nYour code\n"),
           std::string("ask seen\n\x1b[31mred\n"),
           std::string("ask seen\n[Ask]\nSocket=/etc/passwd\n"),
           "ask seen\n" + many + "\n",
           std::string("remove-everything nl\n"),
       }) {
    EXPECT_FALSE(parse_request(text)) << text;
  }
}

// A socket at which one call is taken and answered.
class AHelper {
 public:
  explicit AHelper(const std::string& answer) {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
    listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket();
    std::copy(path.begin(), path.end(), address.sun_path);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    thread_ = std::thread([this, answer] {
      const int caller = ::accept(listener_, nullptr, nullptr);
      std::string packet(4096, '\0');
      const ssize_t got = ::recv(caller, packet.data(), packet.size(), 0);
      packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
      heard_ = packet;
      if (!answer.empty()) {
        EXPECT_GT(::send(caller, answer.data(), answer.size(), 0), 0);
      }
      ::close(caller);
    });
  }
  ~AHelper() {
    if (thread_.joinable()) thread_.join();
    ::close(listener_);
    std::filesystem::remove_all(folder_);
  }
  std::string socket() const { return folder_ + "/socket"; }
  std::string heard() {
    thread_.join();
    return heard_;
  }

 private:
  std::string folder_ = "/tmp/tct-help-XXXXXX";
  int listener_ = -1;
  std::string heard_;
  std::thread thread_;
};

TEST(HelperClient, SaysWhatTheHelperSaid) {
  const std::pair<std::string, HelperAnswer::Kind> cases[] = {
      {"done all is well", HelperAnswer::Kind::kDone},
      {"not for you", HelperAnswer::Kind::kNot},
      {"", HelperAnswer::Kind::kUnclear},
      {"what?", HelperAnswer::Kind::kUnclear},
  };
  for (const auto& [text, kind] : cases) {
    AHelper helper(text);
    const HelperAnswer answer = call_helper(helper.socket(), UndoNameServers{"nl"}, {});
    EXPECT_EQ(answer.kind, kind) << text;
    EXPECT_EQ(helper.heard(), "undo-name-servers nl\n");
    if (text.starts_with("done")) {
      EXPECT_EQ(answer.text, "all is well");
    }
  }
}

TEST(HelperClient, NobodyThereIsSaid) {
  const HelperAnswer answer = hostnet::call_helper("/tmp/tct-nobody", UndoNameServers{"nl"}, {});
  EXPECT_EQ(answer.kind, HelperAnswer::Kind::kUnreachable);
  EXPECT_THAT(answer.text, testing::HasSubstr("No such file"));
  EXPECT_TRUE(hostnet::HelperQuestion("/tmp/tct-nobody", {"Your code", false}).over());
}

TEST(HelperClient, AnAnswerOrNone) {
  const std::pair<std::string, std::optional<std::string>> cases[] = {
      {"+123456", "123456"}, {"+", ""}, {"-", std::nullopt}, {"", std::nullopt}};
  for (const auto& [packet, wanted] : cases) {
    AHelper helper(packet);
    hostnet::HelperQuestion question(helper.socket(), {"Your code", false});
    ASSERT_FALSE(question.over());
    EXPECT_EQ(helper.heard(), "ask unseen\nYour code\n");
    EXPECT_EQ(question.take_answer(), wanted);
    EXPECT_TRUE(question.over());
  }
}

}  // namespace
