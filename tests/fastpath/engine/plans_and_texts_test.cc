// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "fastpath/engine/mute.h"
#include "fastpath/engine/own_options.h"
#include "fastpath/engine/packet_time.h"
#include "fastpath/engine/route_plan.h"
#include "fastpath/engine/script_environment.h"
#include "fastpath/engine/state_place.h"
#include "fastpath/engine/status_text.h"
#include "fastpath/engine/timers.h"
#include "ovpn/lexer.h"
#include "tests/support/peer_parts.h"

namespace {

using support::endpoint;
using testing::HasSubstr;
using testing::Not;

base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

config::DeviceConfig p2p() {
  config::DeviceConfig device;
  device.name = "tun3";
  device.ifconfig_local = "10.8.0.1";
  device.ifconfig_remote_or_mask = "10.8.0.2";
  return device;
}

TEST(RoutePlan, PointToPointAndSubnetAddresses) {
  config::DeviceConfig device = p2p();
  device.ifconfig_ipv6_local = "fd00::1/64";
  const auto plan = engine::plan_interface(device, "tun3", false);
  ASSERT_EQ(plan.addresses.size(), 2u);
  EXPECT_EQ(plan.addresses[0].local, *base::Prefix::parse("10.8.0.1/32"));
  EXPECT_EQ(plan.addresses[0].peer, address("10.8.0.2"));
  EXPECT_EQ(plan.addresses[1].local, *base::Prefix::parse("fd00::1/64"));
  device.topology_subnet = true;
  device.ifconfig_remote_or_mask = "255.255.255.0";
  const auto subnet = engine::plan_interface(device, "tun3", false);
  EXPECT_EQ(subnet.addresses[0].local, *base::Prefix::parse("10.8.0.1/24"));
  EXPECT_FALSE(subnet.addresses[0].peer);
}

TEST(RoutePlan, GatewayWords) {
  config::DeviceConfig device = p2p();
  device.route_metric = 9;
  device.routes = {{"10.9.0.0", "255.255.0.0", "", 3, {}},
                   {"10.9.1.1", "", "vpn_gateway", std::nullopt, {}},
                   {"10.9.2.0", "255.255.255.0", "net_gateway", std::nullopt, {}},
                   {"10.9.3.0", "255.255.255.0", "192.168.1.1", std::nullopt, {}}};
  device.routes_ipv6 = {{"fd01::/64", "", "", std::nullopt, {}}};
  engine::RouteFacts facts;
  facts.gateway_v4 = {address("198.18.0.1"), "eth0"};
  const auto plans = engine::plan_routes(device, "tun3", facts);
  ASSERT_EQ(plans.routes.size(), 5u);
  EXPECT_EQ(plans.routes[0],
            (hostnet::RoutePlan{
                *base::Prefix::parse("10.9.0.0/16"), address("10.8.0.2"), "tun3", 3, {}}));
  EXPECT_EQ(plans.routes[1].destination.length, 32);
  EXPECT_EQ(plans.routes[1].metric, 9u);
  EXPECT_EQ(plans.routes[2].gateway, address("198.18.0.1"));
  EXPECT_EQ(plans.routes[2].device, "eth0");
  EXPECT_EQ(plans.routes[3].device, "");
  EXPECT_EQ(plans.routes[4].device, "tun3");
  EXPECT_FALSE(plans.routes[4].gateway);
  EXPECT_TRUE(plans.warnings.empty());

  const auto without = engine::plan_routes(device, "tun3", {});
  EXPECT_EQ(without.routes.size(), 4u);
  ASSERT_EQ(without.warnings.size(), 1u);
  EXPECT_THAT(without.warnings[0].message, HasSubstr("no default route"));
}

std::string value(const hostnet::Environment& environment, const std::string& name) {
  std::string found = "(unset)";
  for (const auto& [key, text] : environment) {
    if (key == name) found = text;
  }
  return found;
}

TEST(ScriptEnvironment, IsOpenVpns) {
  config::TunnelConfig config;
  config.device = p2p();
  config.device.ifconfig_ipv6_local = "fd00::1/64";
  config.device.ifconfig_ipv6_remote = "fd00::2";
  config.device.routes = {{"10.9.0.0", "255.255.255.0", "", std::nullopt, {}}};
  config.device.routes_ipv6 = {{"fd01::/64", "", "", std::nullopt, {}}};
  config.link.remotes = {{"127.0.0.1", "2011", config::FamilyChoice::kAny}};
  config.link.local_port = "2011";
  config.scripts.environment = {{"FOO", "bar"}};
  engine::ScriptFacts facts;
  facts.device = "tun3";
  facts.trusted = endpoint("127.0.0.1", 2011);
  facts.signal = "sigterm";
  const auto environment = engine::script_environment(config, facts, "down");
  const std::vector<std::pair<std::string, std::string>> expected{
      {"FOO", "bar"},
      {"daemon", "0"},
      {"dev", "tun3"},
      {"dev_type", "tun"},
      {"ifconfig_ipv6_local", "fd00::1"},
      {"ifconfig_ipv6_netbits", "64"},
      {"ifconfig_ipv6_remote", "fd00::2"},
      {"ifconfig_local", "10.8.0.1"},
      {"ifconfig_remote", "10.8.0.2"},
      {"local_port_1", "2011"},
      {"proto_1", "udp"},
      {"redirect_gateway", "0"},
      {"remote_1", "127.0.0.1"},
      {"remote_port_1", "2011"},
      {"route_gateway_1", "10.8.0.2"},
      {"route_ipv6_gateway_1", "fd00::2"},
      {"route_ipv6_network_1", "fd01::/64"},
      {"route_net_gateway", "0.0.0.0"},
      {"route_netmask_1", "255.255.255.0"},
      {"route_network_1", "10.9.0.0"},
      {"route_vpn_gateway", "10.8.0.2"},
      {"script_context", "init"},
      {"script_type", "down"},
      {"signal", "sigterm"},
      {"trusted_ip", "127.0.0.1"},
      {"trusted_port", "2011"},
      {"tun_mtu", "1500"}};
  for (const auto& [name, text] : expected) EXPECT_EQ(value(environment, name), text) << name;
  EXPECT_THAT(engine::up_down_arguments(config, facts),
              testing::ElementsAre("tun3", "1500", "0", "10.8.0.1", "10.8.0.2", "init"));
}

engine::WorkerReport report() {
  engine::WorkerReport report;
  report.counters.tun_read_bytes = 1;
  report.counters.tun_write_bytes = 2;
  report.counters.link_read_bytes = 3;
  report.counters.link_write_bytes = 4;
  report.counters.auth_read_bytes = 5;
  report.counters.drops[static_cast<std::size_t>(packet::DropReason::kAuthFailed)] = 6;
  report.counters.drops[static_cast<std::size_t>(packet::DropReason::kReplayed)] = 7;
  report.remote = endpoint("10.0.0.1", 2011);
  report.last_heard = base::TimePoint(std::chrono::seconds(100));
  return report;
}

TEST(StatusText, FileIsOpenVpnsWithDropsBeforeTheEnd) {
  EXPECT_EQ(engine::status_file_text(report(), {}, "2026-01-02 03:04:05"),
            "OpenVPN STATISTICS\nUpdated,2026-01-02 03:04:05\nTUN/TAP read bytes,1\n"
            "TUN/TAP write bytes,2\nTCP/UDP read bytes,3\nTCP/UDP write bytes,4\n"
            "Auth read bytes,5\nDropped packets auth-failed,6\nDropped packets replayed,7\nEND\n");
}

TEST(StatusText, FileSaysWhatTheCipherIsDoneBy) {
  EXPECT_THAT(engine::status_file_text(report(), {"AES-256-GCM by OpenSSL 3.0.15", ""}, "now"),
              HasSubstr("Auth read bytes,5\nPacket cipher,AES-256-GCM by OpenSSL 3.0.15\nDropped"));
}

TEST(StatusText, HelpersAreToldOfWhileTheyAreThere) {
  auto busy = report();
  busy.helpers = 3;
  EXPECT_THAT(engine::status_file_text(busy, {}, "now"),
              HasSubstr("Auth read bytes,5\nData threads,4\nDropped"));
  const auto lines = engine::status_dump(busy, ovpn::ConnectionState::kConnected, {}, "");
  EXPECT_THAT(lines, testing::Contains("status: data threads 4"));
}

TEST(StatusText, LineTellsTheRestApartFromAuthFailures) {
  const auto line = engine::status_line(report(), ovpn::ConnectionState::kConnected, 1764500000,
                                        base::TimePoint(std::chrono::seconds(103)));
  EXPECT_EQ(ovpn::format_status_line(line),
            "CONNECTED peer 10.0.0.1:2011 since 1764500000 rx 2 tx 1 drops 7 auth-failed 6 heard "
            "3 drop.replayed 7");
}

TEST(StatusText, NoticesNameSourceAndRemedy) {
  const auto text =
      engine::notice_text({packet::DropReason::kAuthFailed, endpoint("10.0.0.9", 2011)});
  EXPECT_THAT(text, HasSubstr("10.0.0.9:2011"));
  EXPECT_THAT(text, HasSubstr("key, direction, cipher or auth differ"));
}

TEST(StatusText, WithoutARemoteNobodyIsAskedToWriteFloat) {
  const engine::DropNotice stranger{packet::DropReason::kStranger, endpoint("10.0.0.9", 2011)};
  EXPECT_THAT(engine::notice_text(stranger), HasSubstr("float"));
  EXPECT_EQ(engine::notice_text(stranger, true),
            "packets from 10.0.0.9:2011 are dropped: they are of no session that this end knows");
}

TEST(StatusText, WhatIsWaitedForIsSaidWhereNobodyCanKnow) {
  EXPECT_THAT(engine::waiting_text(config::TlsRole::kServer, false), HasSubstr("TLS client"));
  EXPECT_THAT(engine::waiting_text(config::TlsRole::kServer, true), HasSubstr("TLS client"));
  EXPECT_EQ(engine::waiting_text(config::TlsRole::kClient, false), "");
  EXPECT_THAT(engine::waiting_text(config::TlsRole::kClient, true), HasSubstr("write remote"));
}

TEST(StatusText, ALoopIsToldOfWithTheWayOut) {
  const auto text =
      engine::notice_text({packet::DropReason::kOwnPacket, endpoint("192.0.2.1", 1194)});
  EXPECT_THAT(text, HasSubstr("a route leads what is sent to the peer, 192.0.2.1:1194, into this "
                              "tunnel, where it is dropped; take 192.0.2.1 out of the route"));
}

TEST(StatusText, DumpNamesEveryCounterThatMoved) {
  std::string all;
  for (const auto& line :
       engine::status_dump(report(), ovpn::ConnectionState::kConnected,
                           {"AES-256-GCM by OpenSSL 3.0.15", ""}, "cipher: here A, there B")) {
    all += line + "\n";
  }
  EXPECT_THAT(all, HasSubstr("dropped auth-failed 6"));
  EXPECT_THAT(all, HasSubstr("dropped replayed 7"));
  EXPECT_THAT(all, HasSubstr("cipher AES-256-GCM by OpenSSL 3.0.15"));
  EXPECT_THAT(all, HasSubstr("cipher: here A, there B"));
  EXPECT_THAT(all, Not(HasSubstr("stranger")));
}

TEST(OwnOptions, AreTakenOutAndChecked) {
  const std::vector<std::string> words{"--dev",   "tun3",        "--threads",
                                       "auto",    "--state-dir", "/s",
                                       "--ready", "connected",   "--acknowledge-cleartext"};
  auto profile = ovpn::lex_arguments(words).profile;
  base::Problems problems;
  const auto own = engine::take_own_options(profile, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(own.state_dir, "/s");
  EXPECT_EQ(own.ready, engine::ReadyWhen::kConnected);
  EXPECT_TRUE(own.acknowledge_cleartext);
  EXPECT_EQ(profile.directives.size(), 1u);

  auto limited = ovpn::lex_arguments(std::vector<std::string>{"--ready", "connected", "7"}).profile;
  EXPECT_EQ(engine::take_own_options(limited, problems).ready_limit_seconds, 7);
  EXPECT_TRUE(problems.empty());
  for (const char* limit : {"0", "-1", "soon"}) {
    auto wrong =
        ovpn::lex_arguments(std::vector<std::string>{"--ready", "connected", limit}).profile;
    base::Problems told;
    engine::take_own_options(wrong, told);
    EXPECT_EQ(told.size(), 1u) << limit;
  }

  auto chosen =
      ovpn::lex_arguments(std::vector<std::string>{"--crypto-library", "openssl"}).profile;
  EXPECT_EQ(engine::take_own_options(chosen, problems).crypto, engine::CryptoLibrary::kOpenSsl);
  EXPECT_TRUE(problems.empty());

  for (const auto& [word, threads] :
       {std::pair("auto", 0u), std::pair("1", 1u), std::pair("4", 4u), std::pair("16", 16u)}) {
    auto many = ovpn::lex_arguments(std::vector<std::string>{"--threads", word}).profile;
    EXPECT_EQ(engine::take_own_options(many, problems).threads, threads);
  }
  EXPECT_TRUE(problems.empty());
  for (const char* const threads : {"0", "17", "-1", "many"}) {
    auto wrong = ovpn::lex_arguments(std::vector<std::string>{"--threads", threads}).profile;
    base::Problems told;
    engine::take_own_options(wrong, told);
    EXPECT_EQ(told.size(), 1u) << threads;
  }

  EXPECT_TRUE(own.resume);
  for (const auto& [word, wanted] : {std::pair("on", true), std::pair("off", false)}) {
    auto resume = ovpn::lex_arguments(std::vector<std::string>{"--resume", word}).profile;
    EXPECT_EQ(engine::take_own_options(resume, problems).resume, wanted);
  }
  EXPECT_TRUE(problems.empty());

  EXPECT_EQ(own.clock_wait_seconds, 600);
  for (const auto& [word, limit] :
       {std::pair("off", 0), std::pair("1", 1), std::pair("86400", 86400)}) {
    auto waits = ovpn::lex_arguments(std::vector<std::string>{"--clock-wait", word}).profile;
    EXPECT_EQ(engine::take_own_options(waits, problems).clock_wait_seconds, limit);
  }
  EXPECT_TRUE(problems.empty());
  for (const char* const limit : {"0", "-1", "86401", "long"}) {
    auto wrong = ovpn::lex_arguments(std::vector<std::string>{"--clock-wait", limit}).profile;
    base::Problems told;
    engine::take_own_options(wrong, told);
    EXPECT_EQ(told.size(), 1u) << limit;
  }

  const std::vector<std::string> bad{"--threads",        "x", "--ready",    "soon",
                                     "--crypto-library", "x", "--state-dir"};
  auto other = ovpn::lex_arguments(bad).profile;
  engine::take_own_options(other, problems);
  EXPECT_EQ(problems.size(), 4u);
}

TEST(OwnOptions, NameServersAndCredentials) {
  const auto take = [](std::vector<std::string> words, base::Problems& problems) {
    auto profile = ovpn::lex_arguments(words).profile;
    const auto own = engine::take_own_options(profile, problems);
    return std::pair(own, profile.directives.size());
  };
  base::Problems problems;
  const auto [own, rest] =
      take({"--credentials-file", "/c", "--dns", "10.0.0.1", "fd00::1", "--dev", "tun"}, problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(own.credentials_file, "/c");
  EXPECT_EQ(own.dns.instead.size(), 2u);
  EXPECT_EQ(rest, 1u);
  EXPECT_TRUE(take({"--dns", "off"}, problems).first.dns.off);
  const auto asks = take({"--ask", "/run/x/ask", "tunctl credentials x"}, problems).first;
  EXPECT_EQ(asks.ask_socket, "/run/x/ask");
  EXPECT_EQ(asks.ask_command, "tunctl credentials x");
  EXPECT_EQ(take({"--ask", "/a"}, problems).first.ask_command, "");
  // OpenVPN's own lines of that name are left alone.
  EXPECT_EQ(take({"--dns", "server", "1", "address", "10.0.0.1"}, problems).second, 1u);
  EXPECT_EQ(take({"--dns", "search-domains", "a.example"}, problems).second, 1u);
  EXPECT_TRUE(problems.empty());
  take({"--dns", "sometimes"}, problems);
  EXPECT_EQ(problems.size(), 1u);
}

TEST(Timers, TheEarliestIsNextAndEachIsTakenOnce) {
  using engine::Timer;
  engine::Timers timers;
  const auto at = [](int s) { return base::TimePoint(std::chrono::seconds(s)); };
  EXPECT_FALSE(timers.next());
  timers.set(Timer::kHealth, at(5));
  timers.set(Timer::kPause, at(3));
  timers.set(Timer::kStatusFile, at(9));
  EXPECT_EQ(timers.next(), at(3));
  timers.clear(Timer::kStatusFile);
  EXPECT_FALSE(timers.take_due(at(2)));
  std::vector<Timer> due;
  while (const auto timer = timers.take_due(at(100))) due.push_back(*timer);
  EXPECT_THAT(due, testing::UnorderedElementsAre(Timer::kHealth, Timer::kPause));
}

class PacketTimeTest : public testing::Test {
 protected:
  PacketTimeTest() {
    std::string pattern = "/tmp/tct-time-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    file_ = engine::state_file(folder_, "", "packet-time");
  }
  ~PacketTimeTest() override {
    ::unlink(file_.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_, file_, told_;
  base::Log log_{[this](base::LogLevel, std::string_view line) { told_ += line; }};
};

TEST_F(PacketTimeTest, GrowsWithTheClockAndWithoutIt) {
  EXPECT_EQ(engine::PacketTime(file_, log_).claim(1000), 1000);
  EXPECT_EQ(engine::PacketTime(file_, log_).claim(1000), 1001);  // twice in one second
  EXPECT_EQ(engine::PacketTime(file_, log_).claim(5), 1002);     // a board without a clock
  EXPECT_EQ(engine::PacketTime(file_, log_).claim(2000), 2000);
  EXPECT_EQ(base::read_file(file_).value(), "2000\n");
  EXPECT_EQ(told_, "");
}

TEST_F(PacketTimeTest, FollowsThePeerForward) {
  engine::PacketTime time(file_, log_);
  time.claim(1000);
  time.keep(999);
  EXPECT_EQ(base::read_file(file_).value(), "1000\n");
  time.keep(1500);
  EXPECT_EQ(base::read_file(file_).value(), "1500\n");  // before anybody can use it
  EXPECT_EQ(engine::PacketTime(file_, log_).claim(1000), 1501);
}

TEST_F(PacketTimeTest, AMangledFileCountsAsNone) {
  // The last two would leave the 32 bits of the wire with the next second, or have left them.
  for (const char* bytes : {"what\n", "", "-5\n", "4294967295\n", "4294967296\n"}) {
    told_.clear();
    ASSERT_EQ(base::write_file_atomically(file_, bytes, 0600), "");
    EXPECT_EQ(engine::PacketTime(file_, log_).claim(7), 7) << bytes;
    EXPECT_THAT(told_, HasSubstr("is damaged and not used")) << bytes;
  }
}

TEST_F(PacketTimeTest, ARefusingDiskIsOneWarning) {
  engine::PacketTime time(folder_ + "/none/packet-time", log_);
  EXPECT_EQ(time.claim(10), 10);
  EXPECT_EQ(time.claim(10), 11);
  EXPECT_THAT(told_, HasSubstr("--state-dir"));
  EXPECT_EQ(told_.find("--state-dir"), told_.rfind("--state-dir"));
}

TEST(Mute, ShowsSoManyOfAKindAndCountsTheRest) {
  std::vector<std::string> lines;
  const auto sink = engine::muted(
      [&lines](base::LogLevel, std::string_view line) { lines.emplace_back(line); }, 2);
  for (const char* line : {"drop 1", "drop 2", "drop 3", "drop 4", "up", "drop 5"}) {
    sink(base::LogLevel::kWarning, line);
  }
  sink(base::LogLevel::kError, "drop 6");
  EXPECT_THAT(lines,
              testing::ElementsAre("drop 1", "drop 2", "2 more of that kind are not shown (mute)",
                                   "up", "drop 5", "drop 6"));
}

TEST(Mute, ZeroShowsAll) {
  int lines = 0;
  const auto sink = engine::muted([&lines](base::LogLevel, std::string_view) { ++lines; }, 0);
  for (int i = 0; i < 5; ++i) sink(base::LogLevel::kInfo, "the same");
  EXPECT_EQ(lines, 5);
}

}  // namespace
