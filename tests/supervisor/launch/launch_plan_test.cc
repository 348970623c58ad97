// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/launch_plan.h"

#include <gmock/gmock.h>

#include "supervisor/launch/failure_note.h"
#include "supervisor/launch/stock_version.h"

namespace launch {
namespace {

using ::testing::HasSubstr;

LaunchPlan full() {
  LaunchPlan plan;
  plan.site = "site-a";
  plan.fastpath = false;
  plan.reason = "dev: tap devices";
  plan.program = "/usr/sbin/openvpn";
  plan.argv = {"--config", "/run/tunctl/site-a/site-a.conf"};
  plan.cpus = {2, 3};
  plan.cpus_word = "big";
  plan.cpus_reasons = {"big: CPUs 2-3", "because"};
  plan.ready_connected = true;
  plan.ready_timeout_seconds = 20;
  plan.watchdog_seconds = 0;
  plan.stock_26 = {"--providers", "legacy", "default"};
  plan.stock_27 = {"--allow-deprecated-insecure-static-crypto"};
  plan.dry_after_seconds = 130;
  plan.interface = "tun3";
  plan.runtime_folder = "/run/tunctl/site-a";
  plan.state_folder = "/var/lib/tunctl/site-a";
  return plan;
}

TEST(LaunchPlan, ReadsBackWhatItWrites) {
  EXPECT_EQ(parse_launch_plan("launch.json", format_launch_plan(full())).value(), full());
  EXPECT_EQ(parse_launch_plan("launch.json", format_launch_plan(LaunchPlan{})).value(),
            LaunchPlan{});
}

TEST(LaunchPlan, CutOffAnywhereItIsAProblem) {
  const std::string whole = format_launch_plan(full());
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_FALSE(parse_launch_plan("launch.json", whole.substr(0, size))) << size;
  }
  EXPECT_THAT(base::to_string(parse_launch_plan("launch.json", "{}").error()),
              HasSubstr("launch.json: this is no launch plan"));
}

TEST(LaunchPlan, AnotherVersionsIsRefused) {
  std::string text = format_launch_plan(full());
  text.replace(text.find("launch/1"), 8, "launch/9");
  EXPECT_THAT(parse_launch_plan("f", text).error().message, HasSubstr("another version"));
}

TEST(FailureNote, IsOneStatusAndOneLine) {
  const FailureNote note{78, "site-a.toml:3:1: unknown key"};
  EXPECT_EQ(parse_failure_note(format_failure_note(note)), note);
  EXPECT_EQ(format_failure_note({1, "a\nb"}), "1\na b\n");
  for (const char* text : {"", "78", "78\n", "0\nfine\n", "x\ny\n"}) {
    EXPECT_FALSE(parse_failure_note(text).has_value()) << text;
  }
}

TEST(StockVersion, ReadsTheFirstLine) {
  EXPECT_EQ(parse_stock_version("OpenVPN 2.6.14 x86_64-pc-linux-gnu [SSL (OpenSSL)]\nlibrary\n"),
            std::pair(2, 6));
  EXPECT_EQ(parse_stock_version("OpenVPN 2.7_alpha1 x86_64\n"), std::pair(2, 7));
  EXPECT_EQ(parse_stock_version("OpenVPN 2.5.1"), std::pair(2, 5));
  for (const char* text : {"", "OpenVPN", "OpenVPN x", "OpenVPN 2", "nope 2.6"}) {
    EXPECT_FALSE(parse_stock_version(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace launch
