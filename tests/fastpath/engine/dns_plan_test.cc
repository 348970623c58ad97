// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/dns_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using engine::plan_dns;
using testing::ElementsAre;

base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

config::DnsWish a_wish() {
  config::DnsWish wish;
  wish.addresses = {address("10.0.0.1")};
  wish.domains = {"corp.example"};
  return wish;
}

const config::RedirectConfig kRedirect{.gateway = true};

TEST(DnsPlan, OfDhcpOptions) {
  const auto plan = plan_dns(a_wish(), std::nullopt, {});
  EXPECT_EQ(plan.servers[0].address, address("10.0.0.1"));
  EXPECT_THAT(plan.search, ElementsAre("corp.example"));
  EXPECT_EQ(plan.all_names, std::nullopt);
  EXPECT_EQ(plan_dns(a_wish(), kRedirect, {}).all_names, true);
  EXPECT_TRUE(plan_dns({}, kRedirect, {}).empty());
}

TEST(DnsPlan, OfDnsLinesWhichMakeTheOthersVoid) {
  config::DnsWish wish = a_wish();
  wish.servers = {{-1, {{address("10.0.0.2"), 5353}}, {"deep.example"}, "", "", ""},
                  {1, {{address("10.0.0.3"), 0}}, {}, "", "", ""}};
  wish.search_domains = {"s.example"};
  const auto plan = plan_dns(wish, kRedirect, {});
  ASSERT_EQ(plan.servers.size(), 1u);
  EXPECT_EQ(plan.servers[0].port, 5353);
  EXPECT_THAT(plan.routing, ElementsAre("deep.example"));
  EXPECT_THAT(plan.search, ElementsAre("s.example"));
  EXPECT_EQ(plan.all_names, false);
}

TEST(DnsPlan, ThePolicyHasTheLastWord) {
  const auto policy = [](std::vector<std::string> words) {
    return engine::read_dns_policy(words).value();
  };
  EXPECT_TRUE(plan_dns(a_wish(), kRedirect, policy({"off"})).empty());
  EXPECT_EQ(plan_dns(a_wish(), kRedirect, policy({"pushed"})).servers[0].address,
            address("10.0.0.1"));
  const auto own = plan_dns(a_wish(), std::nullopt, policy({"192.168.1.2", "fd00::2"}));
  EXPECT_EQ(own.servers.size(), 2u);
  EXPECT_EQ(own.servers[0].address, address("192.168.1.2"));
  EXPECT_TRUE(policy({"pushed"}).whole_machine);
  EXPECT_FALSE(engine::DnsPolicy{}.whole_machine);
  EXPECT_FALSE(engine::read_dns_policy({"maybe"}));
  EXPECT_FALSE(engine::read_dns_policy({}));
  EXPECT_FALSE(engine::read_dns_policy({"pushed", "off"}));
}

}  // namespace
