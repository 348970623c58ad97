// SPDX-License-Identifier: Apache-2.0
// A resolvconf, a resolv.conf and notes in a folder of our own, and name servers to set there.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.h"
#include "fastpath/hostnet/dns.h"

namespace dns_bench {

inline base::IpAddress address(const char* text) { return *base::IpAddress::parse(text); }

inline hostnet::DnsPlan a_plan() {
  hostnet::DnsPlan plan;
  plan.servers = {{address("10.0.0.53"), 0}, {address("fd00::53"), 5353}};
  plan.search = {"corp.example", "lab.example"};
  plan.routing = {"deep.example"};
  plan.all_names = true;
  return plan;
}

class Dns : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    places_.resolv_conf = folder_ + "/resolv.conf";
    places_.resolvconf = folder_ + "/resolvconf";
    places_.backup = folder_ + "/backup";
    places_.note = folder_ + "/note";
    places_.bus = "unix:path=" + folder_ + "/no-bus";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& path, std::string_view text, mode_t mode = 0644) {
    ASSERT_EQ(base::write_file_atomically(path, text, mode), "");
  }
  static std::string read(const std::string& path) {
    const auto text = base::read_file(path);
    return text ? *text : "(absent)";
  }

  std::string folder_ = "/tmp/tct-dns-XXXXXX";
  hostnet::DnsPlaces places_;
  std::string told_;
  base::Log log_{
      [this](base::LogLevel, std::string_view line) { told_ += std::string(line) + "\n"; }};
};

}  // namespace dns_bench
