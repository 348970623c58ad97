// SPDX-License-Identifier: Apache-2.0
// Against a resolvconf and a resolv.conf of our own, and a resolved of our own on a private bus.
#include "fastpath/hostnet/dns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <sstream>
#include <thread>

#include "base/file.h"
#include "tests/fastpath/hostnet/dns_bench.h"

namespace {

using dns_bench::a_plan;
using dns_bench::address;
using dns_bench::Dns;
using hostnet::DnsPlan;
using hostnet::DnsSetup;
using testing::HasSubstr;

TEST_F(Dns, AsLinesOfResolvConf) {
  EXPECT_EQ(hostnet::resolv_conf_text(a_plan()),
            "nameserver 10.0.0.53\nnameserver fd00::53\nsearch corp.example lab.example\n");
}

TEST_F(Dns, IsNotSetForTheWholeMachineUnasked) {
  write(places_.resolv_conf, "nameserver 192.168.1.1\n");
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), false);
  EXPECT_EQ(read(places_.resolv_conf), "nameserver 192.168.1.1\n");
  EXPECT_THAT(told_, HasSubstr("are not set: systemd-resolved does not run"));
}

TEST_F(Dns, ByResolvconf) {
  write(places_.resolvconf,
        "#!/bin/sh\necho \"$@\" >> " + folder_ + "/log\ncat >> " + folder_ + "/log\n", 0755);
  write(places_.resolv_conf, "old\n");
  {
    DnsSetup dns(log_, places_);
    dns.set("tun0", a_plan(), true);
    dns.set("tun0", a_plan(), true);  // nothing new, nothing done
  }
  EXPECT_EQ(read(folder_ + "/log"),
            "-a tun0.tunctl\nnameserver 10.0.0.53\nnameserver fd00::53\n"
            "search corp.example lab.example\n-d tun0.tunctl\n");
  EXPECT_EQ(read(places_.resolv_conf), "old\n");
}

TEST_F(Dns, AResolvconfThatFailsIsTold) {
  write(places_.resolvconf, "#!/bin/sh\nexit 3\n", 0755);
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_THAT(told_, HasSubstr("ended with status 3"));
  EXPECT_EQ(read(places_.note), "(absent)");
}

// Its hooks are others' programs, which expect signals as everybody has them.
TEST_F(Dns, ResolvconfInheritsNoSignals) {
  write(places_.resolvconf,
        "#!/bin/sh\ngrep -E '^Sig(Blk|Ign)' /proc/self/status > " + folder_ + "/log\n", 0755);
  sigset_t set, old;
  sigemptyset(&set);
  for (const int each : {SIGTERM, SIGHUP, SIGINT}) sigaddset(&set, each);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &set, &old), 0);
  const auto pipe_before = ::signal(SIGPIPE, SIG_IGN);
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  ::signal(SIGPIPE, pipe_before);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  const std::string log = read(folder_ + "/log");
  std::istringstream words(log);
  std::string name;
  std::uint64_t signals = 0;
  int lines = 0;
  for (; words >> name >> std::hex >> signals; ++lines) {
    // Those above 31 are the C library's own, which no program can set.
    EXPECT_EQ(signals & 0x7fffffff, 0u) << log;
  }
  EXPECT_EQ(lines, 2) << log;
}

TEST_F(Dns, WhatAKilledEngineToldResolvconfIsTakenBack) {
  write(places_.resolvconf, "#!/bin/sh\necho \"$@\" >> " + folder_ + "/log\n", 0755);
  const pid_t child = ::fork();
  if (child == 0) {
    DnsSetup killed(log_, places_);
    killed.set("tun0", a_plan(), true);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(read(folder_ + "/log"), "-a tun0.tunctl\n");
  DnsSetup dns(log_, places_);
  dns.undo_left_behind();
  EXPECT_EQ(read(folder_ + "/log"), "-a tun0.tunctl\n-d tun0.tunctl\n");
  EXPECT_EQ(read(places_.note), "(absent)");
  EXPECT_THAT(told_, HasSubstr("given back: name servers of tun0"));
  dns.undo_left_behind();  // nothing more
  EXPECT_EQ(read(folder_ + "/log"), "-a tun0.tunctl\n-d tun0.tunctl\n");
}

TEST_F(Dns, ANoteOfAnotherBootOrByNobodyIsForgotten) {
  write(places_.resolvconf, "#!/bin/sh\necho \"$@\" >> " + folder_ + "/log\n", 0755);
  for (const char* note : {"another-boot resolvconf tun0\n", "", "\xff resolvconf"}) {
    write(places_.note, note);
    DnsSetup(log_, places_).undo_left_behind();
    EXPECT_EQ(read(places_.note), "(absent)");
  }
  EXPECT_EQ(read(folder_ + "/log"), "(absent)");
}

TEST_F(Dns, ByTheFileItselfAndBack) {
  write(places_.resolv_conf, "nameserver 192.168.1.1\n");
  {
    DnsSetup dns(log_, places_);
    dns.set("tun0", a_plan(), true);
    EXPECT_THAT(read(places_.resolv_conf), HasSubstr("\nnameserver 10.0.0.53\n"));
    DnsPlan other = a_plan();
    other.servers = {{address("10.0.0.54"), 0}};
    dns.set("tun0", other, true);
    EXPECT_THAT(read(places_.resolv_conf), HasSubstr("\nnameserver 10.0.0.54\n"));
  }
  EXPECT_EQ(read(places_.resolv_conf), "nameserver 192.168.1.1\n");
  EXPECT_EQ(read(places_.backup), "(absent)");
}

TEST_F(Dns, AChangeBySomebodyElseStays) {
  write(places_.resolv_conf, "old\n");
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  write(places_.resolv_conf, "theirs\n");
  dns.undo();
  EXPECT_EQ(read(places_.resolv_conf), "theirs\n");
  EXPECT_THAT(told_, HasSubstr("was changed by somebody else"));
}

TEST_F(Dns, WhatAKilledEngineLeftIsGivenBack) {
  write(places_.resolv_conf, "old\n");
  const pid_t child = ::fork();
  if (child == 0) {
    DnsSetup dns(log_, places_);
    dns.set("tun0", a_plan(), true);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_THAT(read(places_.resolv_conf), HasSubstr("# by tunctl for tun0"));
  DnsSetup next(log_, places_);
  next.undo_left_behind();
  EXPECT_EQ(read(places_.resolv_conf), "old\n");
}

TEST_F(Dns, ALinkIsSomebodyElses) {
  ASSERT_EQ(::symlink("/run/other", places_.resolv_conf.c_str()), 0);
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_THAT(told_, HasSubstr("is a link that something else looks after"));
}

TEST_F(Dns, OurFileIsKnownAgainUntilSomebodyEditsIt) {
  const std::string text = hostnet::marked_resolv_conf("tun0", a_plan());
  EXPECT_EQ(hostnet::device_of_resolv_conf(text), "tun0");
  for (std::size_t length = 0; length < text.size(); ++length) {
    EXPECT_EQ(hostnet::device_of_resolv_conf(text.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(hostnet::device_of_resolv_conf(text + "options edns0\n"), std::nullopt);
  EXPECT_EQ(hostnet::device_of_resolv_conf("nameserver 192.0.2.1\n"), std::nullopt);
}

TEST_F(Dns, TheFilesModeStays) {
  write(places_.resolv_conf, "old\n", 0600);
  const auto mode = [&] {
    struct stat status {};
    return ::stat(places_.resolv_conf.c_str(), &status) == 0 ? status.st_mode & 07777u : 0u;
  };
  DnsSetup dns(log_, places_);
  dns.set("tun0", a_plan(), true);
  EXPECT_EQ(mode(), 0600u);
  dns.undo();
  EXPECT_EQ(mode(), 0600u);
}

// Takes calls as systemd-resolved does and keeps them as text.
class FakeResolved {
 public:
  FakeResolved(const std::string& bus, const char* refusal) : refusal_(refusal) {
    ::sd_bus_new(&bus_);
    ::sd_bus_set_address(bus_, bus.c_str());
    ::sd_bus_set_bus_client(bus_, 1);
    ready_ = ::sd_bus_start(bus_) >= 0 &&
             ::sd_bus_request_name(bus_, "org.freedesktop.resolve1", 0) >= 0 &&
             ::sd_bus_add_object(bus_, nullptr, "/org/freedesktop/resolve1", take, this) >= 0;
    thread_ = std::thread([this] {
      while (!stop_) {
        while (::sd_bus_process(bus_, nullptr) > 0) {
        }
        ::sd_bus_wait(bus_, 20'000);
      }
    });
  }
  ~FakeResolved() {
    stop_ = true;
    thread_.join();
    ::sd_bus_flush_close_unref(bus_);
  }
  bool ready() const { return ready_; }
  std::string calls() {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  static int take(sd_bus_message* message, void* self, sd_bus_error* error) {
    return static_cast<FakeResolved*>(self)->take_call(message, error);
  }
  int take_call(sd_bus_message* message, sd_bus_error* error) {
    if (refusal_ != nullptr) return ::sd_bus_error_set(error, refusal_, "Access denied");
    const std::lock_guard lock(mutex_);
    const std::string_view member = ::sd_bus_message_get_member(message);
    calls_ += std::string(member) + (::sd_bus_message_has_signature(message, "") ? "" : " ") +
              ::sd_bus_message_get_signature(message, 1);
    int index = 0;
    ::sd_bus_message_read(message, "i", &index);
    if (member == "SetLinkDNSEx") read_servers(message);
    if (member == "SetLinkDomains") read_domains(message);
    calls_ += "\n";
    return ::sd_bus_reply_method_return(message, "");
  }
  void read_servers(sd_bus_message* message) {
    ::sd_bus_message_enter_container(message, 'a', "(iayqs)");
    while (::sd_bus_message_enter_container(message, 'r', "iayqs") > 0) {
      int family = 0;
      const void* bytes = nullptr;
      std::size_t size = 0;
      std::uint16_t port = 0;
      const char* name = nullptr;
      ::sd_bus_message_read(message, "i", &family);
      ::sd_bus_message_read_array(message, 'y', &bytes, &size);
      ::sd_bus_message_read(message, "qs", &port, &name);
      ::sd_bus_message_exit_container(message);
      calls_ +=
          " " +
          base::IpAddress::from_bytes({static_cast<const std::uint8_t*>(bytes), size}).to_string() +
          ":" + std::to_string(port);
    }
  }
  void read_domains(sd_bus_message* message) {
    ::sd_bus_message_enter_container(message, 'a', "(sb)");
    const char* domain = nullptr;
    int routing = 0;
    while (::sd_bus_message_read(message, "(sb)", &domain, &routing) > 0) {
      calls_ += std::string(" ") + (routing != 0 ? "~" : "") + domain;
    }
  }

  const char* refusal_;
  sd_bus* bus_ = nullptr;
  bool ready_ = false;
  std::mutex mutex_;
  std::string calls_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

class WithBus : public Dns {
 protected:
  void SetUp() override {
    Dns::SetUp();
    if (::access("/usr/bin/dbus-daemon", X_OK) != 0) {
      GTEST_SKIP() << "SKIPPED: needs program:dbus-daemon: there is none here";
    }
    places_.bus = "unix:path=" + folder_ + "/bus";
    daemon_ = ::fork();
    if (daemon_ == 0) {
      ::execl("/usr/bin/dbus-daemon", "dbus-daemon", "--session", "--nofork",
              ("--address=" + places_.bus).c_str(), nullptr);
      ::_exit(1);
    }
    for (int i = 0; i < 200 && ::access((folder_ + "/bus").c_str(), F_OK) != 0; ++i) {
      ::usleep(25'000);
    }
  }
  void TearDown() override {
    if (daemon_ > 0) {
      ::kill(daemon_, SIGTERM);
      ::waitpid(daemon_, nullptr, 0);
    }
    Dns::TearDown();
  }

  pid_t daemon_ = -1;
};

TEST_F(WithBus, ResolvedIsToldOfTheLink) {
  FakeResolved resolved(places_.bus, nullptr);
  ASSERT_TRUE(resolved.ready());
  {
    DnsSetup dns(log_, places_);
    dns.set("lo", a_plan(), false);
    DnsPlan split = a_plan();
    split.servers.resize(1);
    split.search.clear();
    split.all_names = false;
    dns.set("lo", split, false);
  }
  EXPECT_EQ(resolved.calls(),
            "SetLinkDNSEx ia(iayqs) 10.0.0.53:0 fd00::53:5353\n"
            "SetLinkDomains ia(sb) corp.example lab.example ~deep.example ~.\n"
            "SetLinkDefaultRoute ib\n"
            "SetLinkDNSEx ia(iayqs) 10.0.0.53:0\n"
            "SetLinkDomains ia(sb) ~deep.example\n"
            "SetLinkDefaultRoute ib\n"
            "RevertLink i\n");
  EXPECT_THAT(told_, HasSubstr("told to systemd-resolved"));
}

TEST_F(WithBus, ARefusalSaysWhatIsMissing) {
  FakeResolved resolved(places_.bus, "org.freedesktop.DBus.Error.AccessDenied");
  ASSERT_TRUE(resolved.ready());
  DnsSetup dns(log_, places_);
  dns.set("lo", a_plan(), false);
  EXPECT_THAT(told_, HasSubstr("systemd-resolved refuses: Access denied; run as root, or let this "
                               "user set them by a polkit rule"));
}

TEST_F(WithBus, ABusWithoutResolvedIsNoObstacle) {
  write(places_.resolv_conf, "old\n");
  DnsSetup dns(log_, places_);
  dns.set("lo", a_plan(), true);
  EXPECT_THAT(read(places_.resolv_conf), HasSubstr("nameserver 10.0.0.53"));
}

}  // namespace
