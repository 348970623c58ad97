// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/notify.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <thread>

namespace host {
namespace {

TEST(ParseNotification, ReadsWhatItKnowsAndSkipsTheRest) {
  const auto said = parse_notification(
      "READY=1\nSTATUS=CONNECTED peer 10.0.0.1:2011\nX=1\nWATCHDOG=1\nWATCHDOG_USEC=2000000\n"
      "EXTEND_TIMEOUT_USEC=5\nnonsense");
  EXPECT_TRUE(said.ready);
  EXPECT_TRUE(said.watchdog);
  EXPECT_FALSE(said.trigger);
  EXPECT_FALSE(said.stopping);
  EXPECT_EQ(said.status, "CONNECTED peer 10.0.0.1:2011");
  EXPECT_EQ(said.watchdog_usec, 2000000u);
  EXPECT_EQ(said.extend_timeout_usec, 5u);
  EXPECT_TRUE(parse_notification("WATCHDOG=trigger").trigger);
  EXPECT_FALSE(parse_notification("READY=0").ready);
  EXPECT_FALSE(parse_notification("WATCHDOG_USEC=-1").watchdog_usec.has_value());
}

TEST(NotifySocket, TellsWhoSent) {
  NotifySocket socket;
  EXPECT_FALSE(socket.receive().has_value());
  ASSERT_EQ(::setenv("NOTIFY_SOCKET", socket.address().c_str(), 1), 0);
  notify_manager("READY=1");
  ::unsetenv("NOTIFY_SOCKET");
  const auto datagram = socket.receive();
  ASSERT_TRUE(datagram.has_value());
  EXPECT_EQ(datagram->sender, ::getpid());
  EXPECT_EQ(datagram->message, "READY=1");
}

TEST(ParseNotification, KnowsWhatIsToBeKept) {
  const auto kept = parse_notification("FDSTORE=1\nFDPOLL=0\nFDNAME=tun");
  EXPECT_TRUE(kept.store);
  EXPECT_FALSE(kept.forget);
  EXPECT_EQ(kept.name, "tun");
  EXPECT_TRUE(parse_notification("FDSTOREREMOVE=1\nFDNAME=tun").forget);
  EXPECT_EQ(parse_notification("FDSTORE=1").name, "stored");
}

TEST(NotifySocket, HandsOverDescriptorsAndAnswersABarrier) {
  NotifySocket socket;
  ASSERT_EQ(::setenv("NOTIFY_SOCKET", socket.address().c_str(), 1), 0);
  const int fd = ::dup(STDIN_FILENO);
  ASSERT_GT(::sd_pid_notify_with_fds(0, 0, "FDSTORE=1", &fd, 1), 0);
  ::close(fd);
  {
    const auto datagram = socket.receive();
    ASSERT_TRUE(datagram.has_value());
    ASSERT_EQ(datagram->descriptors.size(), 1u);
    EXPECT_GE(::fcntl(datagram->descriptors[0].get(), F_GETFD), 0);
  }
  std::thread manager([&socket] {
    while (!socket.receive()) ::usleep(1000);
  });
  EXPECT_GE(::sd_notify_barrier(0, 20'000'000), 0);
  manager.join();
  ::unsetenv("NOTIFY_SOCKET");
}

TEST(WatchdogPace, IsHalfOfWhatIsAskedFor) {
  ::unsetenv("WATCHDOG_PID");
  ::unsetenv("WATCHDOG_USEC");
  EXPECT_FALSE(watchdog_pace().has_value());
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(watchdog_pace(), base::Duration(std::chrono::milliseconds(1500)));
  ::unsetenv("WATCHDOG_USEC");
}

}  // namespace
}  // namespace host
