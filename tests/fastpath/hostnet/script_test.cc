// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace {

using testing::HasSubstr;

class Script : public testing::Test {
 protected:
  Script() {
    std::string pattern = "/tmp/tct-script-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Script() override {
    for (const char* name : {"/run", "/out"}) ::unlink((folder_ + name).c_str());
    ::rmdir(folder_.c_str());
  }
  std::string make(const std::string& body) {
    const std::string path = folder_ + "/run";
    std::ofstream(path) << "#!/bin/sh\nexec > " + folder_ + "/out\n" << body;
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string output() {
    std::ostringstream text;
    text << std::ifstream(folder_ + "/out").rdbuf();
    return text.str();
  }
  std::string folder_;
};

TEST_F(Script, GetsItsWordsThenOurArgumentsAndOnlyOurEnvironment) {
  const std::string path = make("for word; do echo \"<$word>\"; done; env\n");
  const auto problem = hostnet::run_script(path + " \"a b\" c", {"tun3", "", "init"},
                                           {{"dev", "tun3"}, {"X", "1"}, {"X", "2"}});
  EXPECT_FALSE(problem) << to_string(*problem);
  EXPECT_THAT(output(), HasSubstr("<a b>\n<c>\n<tun3>\n<>\n<init>\n"));
  EXPECT_THAT(output(), HasSubstr("dev=tun3\n"));
  EXPECT_THAT(output(), HasSubstr("X=2\n"));
  EXPECT_THAT(output(), HasSubstr("PATH="));
  EXPECT_THAT(output(), testing::Not(HasSubstr("HOME=")));
}

TEST_F(Script, FailureTellsHow) {
  const auto status = hostnet::run_script(make("exit 3\n"), {}, {});
  ASSERT_TRUE(status);
  EXPECT_THAT(status->message, HasSubstr("ended with status 3"));
  const auto killed = hostnet::run_script(make("kill -9 $$\n"), {}, {});
  ASSERT_TRUE(killed);
  EXPECT_THAT(killed->message, HasSubstr("killed by signal 9"));
}

TEST_F(Script, AProgramThatIsNotThereIsNamed) {
  const auto problem = hostnet::run_script(folder_ + "/none", {}, {});
  ASSERT_TRUE(problem);
  EXPECT_THAT(to_string(*problem), HasSubstr("/none': it does not exist; put it there"));
  EXPECT_TRUE(hostnet::run_script("", {}, {}));
  EXPECT_TRUE(hostnet::run_script("\"open", {}, {}));
}

TEST_F(Script, WhatKeepsItFromRunningIsNamed) {
  const std::string path = folder_ + "/run";
  std::ofstream(path) << "#!/no/such/shell\n";
  ::chmod(path.c_str(), 0644);
  EXPECT_THAT(to_string(*hostnet::why_not_runnable(path)), HasSubstr("chmod +x " + path));
  ::chmod(path.c_str(), 0755);
  EXPECT_FALSE(hostnet::why_not_runnable(path));
  const auto problem = hostnet::run_script(path, {}, {});
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->message,
              HasSubstr("what its first line names (#!) does not exist: /no/such/shell"));
  // A script of its own that ends so is no reason to look for another.
  EXPECT_THAT(hostnet::run_script(make("exit 127\n"), {}, {})->message,
              HasSubstr("ended with status 127"));
}

TEST_F(Script, SignalsThatWeBlockReachIt) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &set, &old), 0);
  const auto problem = hostnet::run_script(make("kill -TERM $$; sleep 5\n"), {}, {});
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  ASSERT_TRUE(problem);
  EXPECT_THAT(problem->message, HasSubstr("killed by signal 15"));
}

// Whoever waits for a long one goes on telling others that he lives.
TEST_F(Script, IsWaitedForInSteps) {
  std::vector<base::Duration> told;
  const auto problem = hostnet::run_script(make("sleep 0.5\n"), {}, {},
                                           [&](base::Duration so_far) { told.push_back(so_far); });
  EXPECT_FALSE(problem);
  ASSERT_GE(told.size(), 5u);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_GE(told.back(), std::chrono::milliseconds(300));
}

TEST_F(Script, ReadsWhatItIsGiven) {
  const std::string path = make("cat\n");
  EXPECT_TRUE(hostnet::run_child({path}, {}, {}, "line 1\nline 2").good());
  EXPECT_EQ(output(), "line 1\nline 2");
}

}  // namespace
