// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/remote_walk.h"

#include <gtest/gtest.h>

#include "tests/support/peer_parts.h"

namespace {

using engine::RemoteWalk;
using std::chrono::seconds;
using support::endpoint;

config::LinkConfig link(std::vector<std::string> hosts) {
  config::LinkConfig link;
  for (const auto& host : hosts) {
    link.remotes.push_back({host, "2011", config::FamilyChoice::kAny});
  }
  return link;
}

TEST(RemoteWalk, EveryAddressOfEveryRemoteInOrder) {
  RemoteWalk walk(link({"a", "b"}));
  EXPECT_EQ(walk.current().host, "a");
  EXPECT_TRUE(walk.needs_resolve());
  walk.resolved({endpoint("10.0.0.1", 1), endpoint("10.0.0.2", 1)});
  EXPECT_EQ(walk.targets().front(), endpoint("10.0.0.1", 1));
  EXPECT_TRUE(walk.advance());
  EXPECT_FALSE(walk.needs_resolve());
  EXPECT_EQ(walk.targets(), (std::vector{endpoint("10.0.0.2", 1), endpoint("10.0.0.1", 1)}));
  EXPECT_TRUE(walk.advance());
  EXPECT_EQ(walk.current().host, "b");
  EXPECT_TRUE(walk.needs_resolve());
  walk.resolved({endpoint("10.0.0.3", 1)});
  EXPECT_TRUE(walk.advance());
  EXPECT_EQ(walk.current().host, "a");
}

TEST(RemoteWalk, TargetsAreOfOneFamily) {
  RemoteWalk walk(link({"a"}));
  walk.resolved({endpoint("fd00::1", 1), endpoint("10.0.0.1", 1), endpoint("fd00::2", 1)});
  EXPECT_EQ(walk.targets(), (std::vector{endpoint("fd00::1", 1), endpoint("fd00::2", 1)}));
}

TEST(RemoteWalk, FamiliesTakeTurns) {
  RemoteWalk walk(link({"a", "b"}));
  walk.resolved({endpoint("fd00::1", 1), endpoint("fd00::2", 1), endpoint("fd00::3", 1),
                 endpoint("10.0.0.1", 1), endpoint("10.0.0.2", 1)});
  std::vector<base::Endpoint> tried{walk.targets().front()};
  while (!walk.last_address()) {
    EXPECT_TRUE(walk.advance());
    tried.push_back(walk.targets().front());
  }
  EXPECT_EQ(tried, (std::vector{endpoint("fd00::1", 1), endpoint("10.0.0.1", 1),
                                endpoint("fd00::2", 1), endpoint("10.0.0.2", 1),
                                endpoint("fd00::3", 1)}));
}

TEST(RemoteWalk, OldAddressesAreTheFallBack) {
  RemoteWalk walk(link({"a", "b"}));
  EXPECT_FALSE(walk.fall_back()) << "never resolved";
  walk.resolved({endpoint("10.0.0.1", 1)});
  EXPECT_TRUE(walk.advance());
  EXPECT_FALSE(walk.fall_back()) << "that was another remote's";
  walk.skip_remote();
  EXPECT_TRUE(walk.needs_resolve()) << "names are asked for at every try";
  EXPECT_TRUE(walk.fall_back());
  EXPECT_EQ(walk.targets(), std::vector{endpoint("10.0.0.1", 1)});
}

TEST(RemoteWalk, TriesAreBoundedByConnectRetryMax) {
  config::LinkConfig twice = link({"a", "b"});
  twice.connect_retry_max = 2;
  RemoteWalk walk(twice);
  const auto try_once = [&] {
    walk.resolved({endpoint("10.0.0.1", 1)});
    return walk.advance();
  };
  EXPECT_TRUE(try_once());
  EXPECT_TRUE(try_once());
  EXPECT_TRUE(try_once());
  EXPECT_FALSE(try_once());
}

TEST(RemoteWalk, AnAnswerStartsTheCountAnew) {
  config::LinkConfig once = link({"a"});
  once.connect_retry_max = 2;
  RemoteWalk walk(once);
  EXPECT_TRUE(walk.advance());
  walk.succeeded();
  EXPECT_TRUE(walk.advance());
  EXPECT_FALSE(walk.advance());
}

TEST(RemoteWalk, PausesGrowAfterFiveQuickRoundsUpToTheLimit) {
  RemoteWalk walk(link({"a"}));
  std::vector<std::int64_t> pauses;
  for (int i = 0; i < 16; ++i) {
    walk.skip_remote();
    pauses.push_back(std::chrono::duration_cast<seconds>(walk.pause()).count());
  }
  EXPECT_EQ(pauses, (std::vector<std::int64_t>{1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300,
                                               300, 300}));
}

TEST(RemoteWalk, PersistRemoteIpStaysWithTheAddressThatAnswered) {
  config::LinkConfig persistent = link({"a", "b"});
  persistent.persist_remote_ip = true;
  persistent.connect_retry_max = 2;
  RemoteWalk walk(persistent);
  walk.resolved({endpoint("10.0.0.1", 1), endpoint("10.0.0.2", 1)});
  EXPECT_TRUE(walk.advance()) << "nobody answered yet";
  EXPECT_EQ(walk.targets().front(), endpoint("10.0.0.2", 1));
  walk.succeeded();
  EXPECT_TRUE(walk.advance());
  EXPECT_FALSE(walk.needs_resolve());
  EXPECT_EQ(walk.targets().front(), endpoint("10.0.0.2", 1));
  EXPECT_FALSE(walk.advance()) << "connect-retry-max";
}

TEST(RemoteWalk, WithoutRemotesThereIsNothingToTry) {
  RemoteWalk walk(link({}));
  EXPECT_TRUE(walk.empty());
  EXPECT_EQ(walk.pause(), seconds(1));
}

}  // namespace
