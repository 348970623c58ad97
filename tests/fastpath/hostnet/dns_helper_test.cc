// SPDX-License-Identifier: Apache-2.0
// Name servers set by a helper of our own, and given back.
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/fastpath/hostnet/dns_bench.h"

namespace {

using dns_bench::a_plan;
using dns_bench::Dns;
using hostnet::DnsSetup;
using testing::HasSubstr;

// Answers each call of a process without rights by `answer`, and keeps what was asked.
class FakeHelper {
 public:
  FakeHelper(const std::string& path, std::string answer) : answer_(std::move(answer)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    listener_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    ready_ = ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
             ::listen(listener_, 4) == 0;
    thread_ = std::thread([this] {
      for (int caller; (caller = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(caller)) {
        std::string packet(4096, '\0');
        const ssize_t got = ::recv(caller, packet.data(), packet.size(), 0);
        packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        const std::lock_guard lock(mutex_);
        calls_ += packet;
        // Whoever does not wait for it does not miss it.
        if (::send(caller, answer_.data(), answer_.size(), MSG_NOSIGNAL) < 0) continue;
      }
    });
  }
  ~FakeHelper() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  bool ready() const { return ready_; }
  std::string calls() {
    const std::lock_guard lock(mutex_);
    return std::exchange(calls_, {});
  }

 private:
  const std::string answer_;
  int listener_ = -1;
  bool ready_ = false;
  std::mutex mutex_;
  std::string calls_;
  std::thread thread_;
};

class WithHelper : public Dns {
 protected:
  void SetUp() override {
    Dns::SetUp();
    places_.helper = folder_ + "/helper";
    places_.resolved_socket = folder_ + "/resolved";
    write(places_.resolv_conf, "old\n");
  }
};

constexpr const char* kAsked =
    "set-name-servers tun0\nwhole-machine\nserver 10.0.0.53 0\nserver fd00::53 5353\n"
    "search corp.example\nsearch lab.example\nrouting deep.example\nall-names yes\n";

TEST_F(WithHelper, IsAskedAndAskedToGiveBack) {
  FakeHelper helper(places_.helper, "done told");
  ASSERT_TRUE(helper.ready());
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_EQ(helper.calls(), kAsked);
  EXPECT_THAT(told_, HasSubstr("by tunctl-helper: told"));
  EXPECT_NE(read(places_.note), "(absent)");
  dns.set("tun0", a_plan(), true);  // nothing new, nothing asked
  EXPECT_EQ(helper.calls(), "");
  dns.undo();
  EXPECT_EQ(helper.calls(), "undo-name-servers tun0\n");
  EXPECT_EQ(read(places_.note), "(absent)");
  EXPECT_EQ(read(places_.resolv_conf), "old\n");
}

TEST_F(WithHelper, IsNotAskedForWhatNobodyWants) {
  FakeHelper helper(places_.helper, "done told");
  ASSERT_TRUE(helper.ready());
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), false);
  EXPECT_EQ(helper.calls(), "");
  EXPECT_THAT(told_, HasSubstr("are not set: systemd-resolved does not run"));
  // It runs, and the bus does not say so.
  write(places_.resolved_socket, "");
  dns.set("tun0", a_plan(), false);
  EXPECT_THAT(helper.calls(), HasSubstr("set-name-servers tun0\nlink-only\n"));
}

TEST_F(WithHelper, WhatItRefusesIsTold) {
  FakeHelper helper(places_.helper, "not tun0: no");
  ASSERT_TRUE(helper.ready());
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_THAT(told_, HasSubstr("by tunctl-helper: tun0: no"));
  EXPECT_FALSE(dns.is_set());
  EXPECT_EQ(read(places_.note), "(absent)");
}

TEST_F(WithHelper, OneThatDiesIsAskedOnceMoreAndThenMayHaveDoneIt) {
  FakeHelper helper(places_.helper, "");
  ASSERT_TRUE(helper.ready());
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_EQ(helper.calls(), std::string(kAsked) + kAsked);
  EXPECT_THAT(told_, HasSubstr("may not be set"));
  EXPECT_TRUE(dns.is_set());
}

TEST_F(WithHelper, WithoutItWhatIsMissingIsSaid) {
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_THAT(told_, HasSubstr("this takes root, and tunctl-helper does not answer"));
  EXPECT_THAT(told_, HasSubstr("`systemctl start tunctl-helper.socket`"));
  EXPECT_EQ(read(places_.resolv_conf), "old\n");
  EXPECT_EQ(read(places_.note), "(absent)");
}

TEST_F(WithHelper, WhatItDidForAKilledEngineIsGivenBackOnceItAnswers) {
  const pid_t child = ::fork();
  if (child == 0) {
    FakeHelper helper(places_.helper, "done told");
    DnsSetup killed(log_, places_);
    killed.set("tun0", a_plan(), true);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(DnsSetup(log_, places_).undo_left_behind());
  EXPECT_NE(read(places_.note), "(absent)");
  ::unlink(places_.helper.c_str());
  FakeHelper helper(places_.helper, "done given back");
  ASSERT_TRUE(helper.ready());
  EXPECT_TRUE(DnsSetup(log_, places_).undo_left_behind());
  EXPECT_EQ(helper.calls(), "undo-name-servers tun0\n");
  EXPECT_EQ(read(places_.note), "(absent)");
}

}  // namespace
