// SPDX-License-Identifier: Apache-2.0
// The helper in folders of our own: who may what, two tunnels over each other, and a question.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/file.h"
#include "base/unique_fd.h"
#include "fastpath/root_helper/caller.h"
#include "fastpath/root_helper/name_servers.h"
#include "fastpath/root_helper/password_question.h"
#include "fastpath/root_helper/serve.h"

namespace {

using root_helper::Caller;
using root_helper::NameServerRight;
using testing::ElementsAre;
using testing::HasSubstr;

hostnet::SetNameServers a_set(const std::string& device, const char* server) {
  hostnet::SetNameServers set{device, {}, true};
  set.plan.servers = {{*base::IpAddress::parse(server), 0}};
  return set;
}

class RootHelper : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    places_.run = folder_ + "/run";
    places_.state = folder_ + "/state";
    places_.questions = folder_ + "/ask";
    places_.dns.resolv_conf = folder_ + "/resolv.conf";
    places_.dns.resolvconf = folder_ + "/resolvconf";
    places_.dns.bus = "unix:path=" + folder_ + "/no-bus";
    std::filesystem::create_directories(places_.run + "/.interfaces");
    std::filesystem::create_directories(places_.run + "/nl");
    write(places_.run + "/.interfaces/nl", "nl\nname-servers machine\n");
    write(places_.dns.resolv_conf, "old\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void write(const std::string& path, std::string_view text) {
    ASSERT_EQ(base::write_file_atomically(path, text, 0640), "");
  }
  std::string resolv_conf() const { return *base::read_file(places_.dns.resolv_conf); }
  std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(places_.state)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }
  bool set(const std::string& device, const char* server) {
    return root_helper::NameServers(log_, places_.state, places_.dns).set(a_set(device, server));
  }
  bool undo(const std::string& device) {
    return root_helper::NameServers(log_, places_.state, places_.dns).undo(device);
  }
  // The answer to one packet of this process.
  std::string call(const std::string& packet) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const base::UniqueFd here(ends[0]), there(ends[1]);
    EXPECT_GT(::send(here.get(), packet.data(), packet.size(), 0), 0);
    root_helper::serve(there.get(), places_, log_);
    std::string answer(4096, '\0');
    const ssize_t got = ::recv(here.get(), answer.data(), answer.size(), MSG_DONTWAIT);
    answer.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return answer;
  }

  std::string folder_ = "/tmp/tct-root-XXXXXX";
  root_helper::Places places_;
  std::string told_;
  base::Log log_{
      [this](base::LogLevel, std::string_view line) { told_ += std::string(line) + "\n"; }};
};

TEST_F(RootHelper, ACallerIsWhoseFolderItIs) {
  const uid_t mine = ::geteuid();
  const auto caller = root_helper::caller_of(mine, places_.run);
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->site, mine == 0 ? "" : "nl");
  EXPECT_FALSE(root_helper::caller_of(12345678, places_.run));
  EXPECT_FALSE(root_helper::caller_of(12345678, folder_ + "/nothing"));
}

TEST_F(RootHelper, TheRightIsTheMarks) {
  const std::pair<std::string, NameServerRight> cases[] = {
      {"nl\nname-servers machine\n", NameServerRight::kWholeMachine},
      {"nl\nname-servers link\n", NameServerRight::kLink},
      {"nl\nname-servers none\n", NameServerRight::kNone},
      {"nl\n", NameServerRight::kNone},
      {"other\nname-servers machine\n", NameServerRight::kNone},
      {"", NameServerRight::kNone},
  };
  for (const auto& [mark, wanted] : cases) {
    write(places_.run + "/.interfaces/nl", mark);
    EXPECT_EQ(root_helper::right_to(Caller{"nl"}, "nl", places_.run), wanted) << mark;
  }
  EXPECT_EQ(root_helper::right_to(Caller{"nl"}, "lo", places_.run), NameServerRight::kNone);
  EXPECT_EQ(root_helper::right_to(Caller{}, "lo", places_.run), NameServerRight::kWholeMachine);
}

TEST_F(RootHelper, SetInOneProcessAndGivenBackInAnother) {
  EXPECT_TRUE(set("nl", "10.0.0.53"));
  EXPECT_THAT(resolv_conf(), HasSubstr("\nnameserver 10.0.0.53\n"));
  EXPECT_TRUE(set("nl", "10.0.0.54"));
  EXPECT_THAT(resolv_conf(), HasSubstr("\nnameserver 10.0.0.54\n"));
  struct stat status {};
  ASSERT_EQ(::stat(places_.dns.resolv_conf.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
  EXPECT_TRUE(undo("nl"));
  EXPECT_EQ(resolv_conf(), "old\n");
  EXPECT_THAT(left(), ElementsAre(".lock"));
  EXPECT_TRUE(undo("nl"));  // nothing more
}

// Whichever ends first, the last gives back what was there before both.
TEST_F(RootHelper, TwoTunnelsOverEachOther) {
  for (const auto& [first, second] : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    EXPECT_TRUE(set("a", "10.0.0.1"));
    EXPECT_TRUE(set("b", "10.0.0.2"));
    EXPECT_TRUE(undo(first));
    EXPECT_THAT(resolv_conf(), HasSubstr(std::string(second) == "b" ? "10.0.0.2" : "10.0.0.1"));
    EXPECT_TRUE(undo(second));
    EXPECT_EQ(resolv_conf(), "old\n") << first;
    EXPECT_THAT(left(), ElementsAre(".lock"));
  }
}

TEST_F(RootHelper, AnEditOfOurLinesMakesThemTheEditors) {
  EXPECT_TRUE(set("nl", "10.0.0.53"));
  const std::string edited = resolv_conf() + "options edns0\n";
  write(places_.dns.resolv_conf, edited);
  EXPECT_TRUE(undo("nl"));
  EXPECT_EQ(resolv_conf(), edited);
  EXPECT_THAT(told_, HasSubstr("was changed by somebody else and stays"));
  EXPECT_THAT(left(), ElementsAre(".lock"));
}

TEST_F(RootHelper, AllThatStandsNotedIsGivenBack) {
  EXPECT_TRUE(set("a", "10.0.0.1"));
  EXPECT_TRUE(set("b", "10.0.0.2"));
  root_helper::undo_all(places_, log_);
  EXPECT_EQ(resolv_conf(), "old\n");
  EXPECT_THAT(left(), ElementsAre(".lock"));
}

// Of a unit that is stopped between two runs: its user owns nothing any more.
TEST_F(RootHelper, ASitesAreGivenBackByItsMark) {
  places_.socket = folder_ + "/nobody-listens";
  write(places_.run + "/.interfaces/a", "one\nname-servers machine\n");
  write(places_.run + "/.interfaces/b", "two\nname-servers machine\n");
  EXPECT_TRUE(set("a", "10.0.0.1"));
  root_helper::undo_site("two", places_, log_);
  root_helper::undo_site("", places_, log_);
  EXPECT_THAT(resolv_conf(), HasSubstr("10.0.0.1"));
  root_helper::undo_site("one", places_, log_);
  EXPECT_EQ(resolv_conf(), "old\n");
  EXPECT_THAT(left(), ElementsAre(".lock"));
}

TEST_F(RootHelper, ACallAndItsAnswer) {
  EXPECT_EQ(call("set-name-servers nl\nwhole-machine\nserver 10.0.0.53 0\n"),
            "done name servers of nl written to " + places_.dns.resolv_conf);
  EXPECT_THAT(call("undo-name-servers nl\n"), testing::StartsWith("done given back: "));
  EXPECT_EQ(resolv_conf(), "old\n");
  EXPECT_EQ(call("undo-name-servers nl\n"), "done nothing was to be done");
  for (const std::string& garbage : {std::string("x"), std::string(40000, 'x')}) {
    EXPECT_EQ(call(garbage), "not a request");
  }
}

TEST_F(RootHelper, AQuestionAsAgentsReadIt) {
  EXPECT_EQ(root_helper::format_question({"nl", "tunctl nl: Your code", false}, 7, "/run/x"),
            "[Ask]\nPID=7\nSocket=/run/x\nAcceptCached=0\nEcho=0\nNotAfter=0\nSilent=0\n"
            "Message=tunctl nl: Your code\nIcon=network-vpn\nId=tunctl:nl\n");
  EXPECT_EQ(root_helper::answer_in("+123"), "123");
  EXPECT_EQ(root_helper::answer_in(std::string_view("+123\0", 5)), "123");
  EXPECT_EQ(root_helper::answer_in("+"), "");
  EXPECT_EQ(root_helper::answer_in("-"), std::nullopt);
  EXPECT_EQ(root_helper::answer_in(""), std::nullopt);
  EXPECT_EQ(root_helper::answer_in("123"), std::nullopt);
}

std::vector<std::string> entries(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void answer_as_agent(const std::string& folder, std::string_view datagram) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/sck.tunctl-nl";
  std::copy(path.begin(), path.end(), address.sun_path);
  const base::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::sendto(fd.get(), datagram.data(), datagram.size(), 0,
                     reinterpret_cast<const sockaddr*>(&address), sizeof address),
            static_cast<ssize_t>(datagram.size()));
}

TEST_F(RootHelper, AQuestionIsAnsweredAndGone) {
  for (const auto& [said, wanted] :
       {std::pair<const char*, std::optional<std::string>>{"+123456", "123456"},
        {"-", std::nullopt}}) {
    root_helper::OpenPasswordQuestion open(places_.questions, {"nl", "Your code", false});
    ASSERT_EQ(open.problem(), "");
    EXPECT_THAT(entries(places_.questions),
                ElementsAre("ask.tunctl-nl", "lck.tunctl-nl", "sck.tunctl-nl"));
    bool more = false;
    EXPECT_EQ(open.take_answer(more), std::nullopt);
    EXPECT_TRUE(more);
    answer_as_agent(places_.questions, said);
    EXPECT_EQ(open.take_answer(more), wanted);
    EXPECT_FALSE(more);
  }
  EXPECT_THAT(entries(places_.questions), ElementsAre());
}

TEST_F(RootHelper, WhatAKilledProcessAskedGoesWithTheNextCall) {
  const pid_t child = ::fork();
  if (child == 0) {
    const root_helper::OpenPasswordQuestion open(places_.questions, {"b", "Your code", false});
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const root_helper::OpenPasswordQuestion alive(places_.questions, {"nl", "Your code", false});
  EXPECT_EQ(entries(places_.questions).size(), 6u);
  call("undo-name-servers nl\n");
  EXPECT_THAT(entries(places_.questions),
              ElementsAre("ask.tunctl-nl", "lck.tunctl-nl", "sck.tunctl-nl"));
}

TEST_F(RootHelper, ACallerThatGoesAwayTakesItsQuestionAlong) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  base::UniqueFd here(ends[0]);
  const base::UniqueFd there(ends[1]);
  const std::string packet = "ask unseen\nYour code\n";
  ASSERT_GT(::send(here.get(), packet.data(), packet.size(), 0), 0);
  std::thread helper([&] { root_helper::serve(there.get(), places_, log_); });
  const auto asked = [&] {
    for (const auto& entry : std::filesystem::directory_iterator(places_.questions)) {
      if (entry.path().filename().string().starts_with("ask.")) return true;
    }
    return false;
  };
  for (int i = 0; i < 200; ++i) {
    if (std::filesystem::exists(places_.questions) && asked()) break;
    ::usleep(10'000);
  }
  EXPECT_TRUE(asked());
  here.reset();
  helper.join();
  EXPECT_THAT(entries(places_.questions), ElementsAre());
}

}  // namespace
