// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/last_peer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"
#include "fastpath/engine/state_place.h"
#include "tests/support/peer_parts.h"

namespace {

using namespace std::chrono_literals;
using engine::LastPeer;

constexpr base::TimePoint kStart{1000s};
const base::Endpoint kPeer = support::endpoint("192.0.2.7", 40000);
const base::Endpoint kOther = support::endpoint("2001:db8::9", 1194);

class LastPeerTest : public testing::Test {
 protected:
  LastPeerTest() {
    std::string pattern = "/tmp/tct-peer-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    file_ = engine::state_file(folder_, "", "last-peer");
  }
  ~LastPeerTest() override {
    ::unlink(file_.c_str());
    ::rmdir(folder_.c_str());
  }
  std::string folder_, file_, told_;
  base::Log log_{[this](base::LogLevel, std::string_view line) { told_ += line; }};
};

TEST_F(LastPeerTest, IsKnownToTheNextRun) {
  EXPECT_EQ(LastPeer(file_, log_).known(), std::nullopt);
  for (const base::Endpoint& peer : {kPeer, kOther}) {
    EXPECT_EQ(LastPeer(file_, log_).heard_at(peer, kStart), std::nullopt);
    EXPECT_EQ(LastPeer(file_, log_).known(), peer);
  }
  EXPECT_EQ(base::read_file(file_).value(), "2001:db8::9 1194\n");
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  EXPECT_EQ(told_, "");
}

TEST_F(LastPeerTest, APeerThatMovesOftenIsWrittenOnceAMinute) {
  LastPeer last(file_, log_);
  EXPECT_EQ(last.heard_at(kPeer, kStart), std::nullopt);
  EXPECT_EQ(last.heard_at(kOther, kStart + 1s), kStart + 60s);
  EXPECT_EQ(last.known(), kPeer);
  EXPECT_EQ(last.heard_at(kPeer, kStart + 2s), std::nullopt);  // back again: nothing to write
  EXPECT_EQ(last.heard_at(kOther, kStart + 59s), kStart + 60s);
  EXPECT_EQ(last.heard_at(kOther, kStart + 60s), std::nullopt);
  EXPECT_EQ(LastPeer(file_, log_).known(), kOther);
}

TEST_F(LastPeerTest, AMangledFileIsNoHint) {
  for (const char* bytes : {"", "192.0.2.7", "192.0.2.7 0\n", "192.0.2.7 65536\n", "host 1194\n",
                            "192.0.2.7 1194 more\n", "192.0.2.7:1194\n"}) {
    ASSERT_EQ(base::write_file_atomically(file_, bytes, 0600), "");
    EXPECT_EQ(LastPeer(file_, log_).known(), std::nullopt) << bytes;
  }
}

TEST_F(LastPeerTest, NoPlaceAndARefusingDiskAreNoErrors) {
  EXPECT_EQ(LastPeer("", log_).heard_at(kPeer, kStart), std::nullopt);
  EXPECT_EQ(told_, "");
  LastPeer last(folder_ + "/none/last-peer", log_);
  EXPECT_EQ(last.heard_at(kPeer, kStart), std::nullopt);
  EXPECT_NE(told_, "");
}

}  // namespace
