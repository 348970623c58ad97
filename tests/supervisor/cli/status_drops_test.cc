// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/supervisor/cli/bench.h"

namespace cli {
namespace {

TEST(StatusDrops, ReasonsAreShownWhenAskedForAndInJson) {
  Bench bench;
  ASSERT_EQ(bench.make_site("a"), kOk) << bench.err;
  auto& unit = bench.services.units["tunctl@a.service"];
  unit.unit = "tunctl@a.service";
  unit.loaded = true;
  unit.active_state = "active";
  unit.sub_state = "running";
  unit.status_text =
      "CONNECTED peer 192.0.2.7:1194 rx 5 tx 6 drops 1 auth-failed 2 heard 1 drop.no-peer 1";
  bench.run({"status", "a"});
  EXPECT_NE(bench.out.find("1 packet dropped"), std::string::npos) << bench.out;
  EXPECT_EQ(bench.out.find("no-peer"), std::string::npos) << bench.out;
  bench.run({"-v", "status", "a"});
  EXPECT_NE(bench.out.find("Drops: auth-failed 2, no-peer 1\n"), std::string::npos) << bench.out;
  bench.run({"status", "--json", "a"});
  EXPECT_NE(bench.out.find("\"no-peer\": 1"), std::string::npos) << bench.out;
}

}  // namespace
}  // namespace cli
