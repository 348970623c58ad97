// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/connecting.h"

#include <gtest/gtest.h>

#include "tests/support/peer_parts.h"

namespace {

using namespace engine;
using base::LogLevel;
using std::chrono::seconds;
using support::endpoint;

constexpr base::TimePoint kStart{};
constexpr const char* kProblem = "cannot resolve a: no such host";

config::LinkConfig link(std::vector<std::string> hosts) {
  config::LinkConfig link;
  for (const auto& host : hosts) {
    link.remotes.push_back({host, "2011", config::FamilyChoice::kAny});
  }
  return link;
}

Resolved found(std::vector<base::Endpoint> addresses) { return {std::move(addresses), ""}; }

TEST(Connecting, WithoutARemoteWhoeverComesIsThePeer) {
  Connecting connecting(link({}));
  EXPECT_TRUE(connecting.waits());
  EXPECT_TRUE(connecting.is_called());
  EXPECT_EQ(connecting.begin(), Steps{step::UseTargets{}});
}

TEST(Connecting, ResolvesAndThenUsesWhatWasFoundUntilItIsLost) {
  Connecting connecting(link({"a", "b"}));
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"a", "2011"})});
  const auto there = endpoint("10.0.0.1", 2011);
  EXPECT_EQ(connecting.resolved(found({there}), kStart), Steps{step::UseTargets{{there}}});
  EXPECT_EQ(connecting.begin(), Steps{step::UseTargets{{there}}}) << "not asked again";
  EXPECT_EQ(connecting.lost({.stay = true}), Steps{});
  EXPECT_EQ(connecting.begin(), Steps{step::UseTargets{{there}}});
  EXPECT_EQ(connecting.lost({}), Steps{});
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"b", "2011"})});
}

TEST(Connecting, OfAProxyTheNameIsAsked) {
  config::LinkConfig behind = link({"a"});
  behind.remotes[0].proxy.emplace();
  behind.remotes[0].proxy->host = "proxy";
  behind.remotes[0].proxy->port = "3128";
  EXPECT_EQ(Connecting(behind).begin(), Steps{(step::Resolve{"proxy", "3128"})});
}

TEST(Connecting, AnUnresolvedNameIsToldAndTheNextRemoteTriedAfterAPause) {
  Connecting connecting(link({"a", "b"}));
  EXPECT_EQ(connecting.resolved({{}, kProblem}, kStart),
            (Steps{step::Say{LogLevel::kWarning, kProblem}, step::TellReason{kProblem},
                   step::TellState{}, step::Wake{Timer::kPause, seconds(1)}}));
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"b", "2011"})});
  const auto there = endpoint("10.0.0.1", 2011);
  EXPECT_EQ(connecting.resolved(found({there}), kStart),
            (Steps{step::TellReason{}, step::UseTargets{{there}}}))
      << "the reason is gone";
}

// A name may turn out to be one of the tunnel's own addresses: what is sent there never leaves.
TEST(Connecting, ANameThatLeadsIntoTheTunnelIsRefused) {
  Connecting connecting(link({"a", "b"}), {"10.8.0.1", "10.8.0.2", "fd00::1/64", "fd00::2"});
  const std::string why =
      "remote a is 10.8.0.2, an address inside of this tunnel too; give the tunnel addresses that "
      "neither end has outside of it";
  EXPECT_EQ(connecting.resolved(found({endpoint("10.8.0.2", 2011)}), kStart),
            (Steps{step::Say{LogLevel::kWarning, why}, step::TellReason{why}, step::TellState{},
                   step::Wake{Timer::kPause, seconds(1)}}));
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"b", "2011"})});
  // What it has besides is good.
  const auto there = endpoint("10.0.0.1", 2011);
  const auto steps = connecting.resolved(
      found({endpoint("fd00::1", 2011), there, endpoint("fd00::2", 1)}), kStart);
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.back(), Step{step::UseTargets{{there}}});
}

TEST(Connecting, OldAddressesAreUsedWhenTheNameServerIsGone) {
  Connecting connecting(link({"a"}));
  const auto there = endpoint("10.0.0.1", 2011);
  static_cast<void>(connecting.resolved(found({there}), kStart));
  EXPECT_EQ(connecting.lost({}), Steps{});
  const Steps steps = connecting.resolved({{}, kProblem}, kStart);
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps.back(), Step(step::UseTargets{{there}}));
}

TEST(Connecting, ResolvRetryBoundsHowLongNamesAreTried) {
  config::LinkConfig impatient = link({"a"});
  impatient.resolv_retry_seconds = 30;
  Connecting connecting(impatient);
  const Step end = step::End{Ending::kFailed, "no remote could be resolved (resolv-retry)"};
  EXPECT_NE(connecting.resolved({{}, kProblem}, kStart).back(), end);
  EXPECT_NE(connecting.resolved({{}, kProblem}, kStart + seconds(29)).back(), end);
  EXPECT_EQ(connecting.resolved({{}, kProblem}, kStart + seconds(30)).back(), end);
}

TEST(Connecting, ConnectRetryMaxEndsInEitherTransport) {
  config::LinkConfig once = link({"a"});
  once.connect_retry_max = 1;
  const Steps gave_up{step::Say{LogLevel::kError, "connect-retry-max: nobody answered; giving up"},
                      step::End{Ending::kFailed}};
  EXPECT_EQ(Connecting(once).lost({}), gave_up);
  EXPECT_EQ(Connecting(once).lost({.stay = true}), Steps{});
  once.remotes[0].transport = config::Transport::kTcpClient;
  Connecting tcp(once);
  const Steps steps = tcp.stream_failed(endpoint("10.0.0.1", 2011), "refused");
  ASSERT_EQ(steps.size(), 5u);
  EXPECT_EQ(steps[1], Step(step::TellReason{"TCP connection to 10.0.0.1:2011 failed: refused"}));
  EXPECT_EQ(steps.back(), gave_up.back());
}

TEST(Connecting, AFailedConnectionIsFollowedByAPauseAndTheNextAddress) {
  config::LinkConfig tcp = link({"a"});
  tcp.remotes[0].transport = config::Transport::kTcpClient;
  Connecting connecting(tcp);
  EXPECT_EQ(connecting.transport(), config::Transport::kTcpClient);
  const auto first = endpoint("10.0.0.1", 2011), second = endpoint("10.0.0.2", 2011);
  static_cast<void>(connecting.resolved(found({first, second}), kStart));
  EXPECT_EQ(connecting.connect_patience(), seconds(10)) << "another one is waiting";
  EXPECT_EQ(connecting.stream_failed(first, "no answer").back(),
            Step(step::Wake{Timer::kPause, seconds(1)}));
  EXPECT_EQ(connecting.connect_patience(), seconds(120));
  EXPECT_EQ(connecting.begin(), Steps{(step::UseTargets{{second, first}})});
}

Resolved unreachable() {
  Resolved answer = found({endpoint("192.0.2.33", 2011)});
  answer.out_of_reach = true;
  return answer;
}
const Steps kAskForNat64{step::Resolve{"ipv4only.arpa", "0", config::FamilyChoice::kIpv6}};

TEST(Connecting, AnIpv4AddressOutOfReachGoesThroughTheNat64) {
  Connecting connecting(link({"192.0.2.33"}));
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"192.0.2.33", "2011"})});
  EXPECT_EQ(connecting.resolved(unreachable(), kStart), kAskForNat64);
  EXPECT_FALSE(connecting.behind_nat64());
  const Steps steps = connecting.resolved(
      found({endpoint("64:ff9b::c000:aa", 0), endpoint("64:ff9b::c000:ab", 0)}), kStart);
  EXPECT_EQ(steps, (Steps{step::Say{LogLevel::kNotice,
                                    "192.0.2.33 is reached through 64:ff9b::/96, the NAT64 of this "
                                    "network"},
                          step::UseTargets{{endpoint("64:ff9b::c000:221", 2011)}}}));
  EXPECT_TRUE(connecting.behind_nat64());
  // A name server that is silent for once does not matter.
  EXPECT_EQ(connecting.lost({}), Steps{});
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"192.0.2.33", "2011"})});
  EXPECT_EQ(connecting.resolved(unreachable(), kStart), kAskForNat64);
  EXPECT_EQ(connecting.resolved({{}, kProblem}, kStart).back(), steps.back());
  EXPECT_FALSE(connecting.behind_nat64());
}

TEST(Connecting, WithoutNat64TheAddressIsNamedAndTriedAsItIs) {
  const std::string why =
      "192.0.2.33 is an IPv4 address, this host has a way to IPv6 only, and there is no NAT64 (";
  Connecting connecting(link({"192.0.2.33"}));
  static_cast<void>(connecting.begin());
  static_cast<void>(connecting.resolved(unreachable(), kStart));
  const Steps steps = connecting.resolved({{}, kProblem}, kStart);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1], Step(step::TellReason{why + kProblem + ")"}));
  EXPECT_EQ(steps[2], Step(step::UseTargets{{endpoint("192.0.2.33", 2011)}}));
  EXPECT_EQ(connecting.stream_failed(endpoint("192.0.2.33", 2011), "no route")[1],
            Step(step::TellReason{"TCP connection to 192.0.2.33:2011 failed: no route; " + why +
                                  kProblem + ")"}));
  static_cast<void>(connecting.begin());
  static_cast<void>(connecting.resolved(unreachable(), kStart));
  EXPECT_EQ(connecting.resolved(found({endpoint("2001:db8::1", 0)}), kStart)[1],
            Step(step::TellReason{why + "ipv4only.arpa holds no prefix)"}));
}

TEST(Connecting, ALostAnswerAboutNat64IsForgotten) {
  Connecting connecting(link({"192.0.2.33"}));
  static_cast<void>(connecting.begin());
  EXPECT_EQ(connecting.resolved(unreachable(), kStart), kAskForNat64);
  EXPECT_EQ(connecting.begin(), Steps{(step::Resolve{"192.0.2.33", "2011"})});
  const auto there = endpoint("192.0.2.33", 2011);
  EXPECT_EQ(connecting.resolved(found({there}), kStart), Steps{step::UseTargets{{there}}})
      << "IPv4 came back";
}

TEST(Connecting, WhoWroteIpv4GetsIpv4AndIsToldWhatWouldHelp) {
  config::LinkConfig ipv4 = link({"192.0.2.33"});
  ipv4.remotes[0].family = config::FamilyChoice::kIpv4;
  Connecting connecting(ipv4);
  const Steps steps = connecting.resolved(unreachable(), kStart);
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_TRUE(std::get<step::TellReason>(steps[1]).why.ends_with(
      "`proto` without a 4 would let a NAT64 be used"));
}

TEST(Connecting, APauseIsAsLongAsTheServerAsked) {
  const Connecting connecting(link({"a"}));
  EXPECT_EQ(connecting.pause(0).after, seconds(1));
  EXPECT_EQ(connecting.pause(42).after, seconds(42));
}

}  // namespace
