// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/conflicts.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>

#include "base/unique_fd.h"

namespace host {
namespace {

// As the kernel prints it (Linux 6.1), two sockets.
constexpr const char* kTable =
    "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode ref pointer drops\n"
    " 1234: 00000000:07DB 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 "
    "41234 2 0000000000000000 0\n"
    " 1300: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000   101        0 "
    "555 2 0000000000000000 0\n";

TEST(UdpInode, FindsThePortInTheKernelsTable) {
  EXPECT_EQ(udp_inode_of(kTable, 2011, std::nullopt), 41234u);
  EXPECT_EQ(udp_inode_of(kTable, 53, std::nullopt), 555u);
  EXPECT_EQ(udp_inode_of(kTable, 1194, std::nullopt), 0u);
  EXPECT_EQ(udp_inode_of("", 53, std::nullopt), 0u);
  EXPECT_EQ(udp_inode_of("a b c d e f g h i j\n", 53, std::nullopt), 0u);
}

TEST(UdpInode, AnotherAddressIsNotInTheWayButAllAddressesAre) {
  if (std::endian::native == std::endian::big)
    GTEST_SKIP() << "SKIPPED: needs little-endian: the table is such a machine's";
  EXPECT_EQ(udp_inode_of(kTable, 53, base::IpAddress::parse("10.0.0.1")), 0u);
  EXPECT_EQ(udp_inode_of(kTable, 53, base::IpAddress::parse("127.0.0.1")), 555u);
  EXPECT_EQ(udp_inode_of(kTable, 2011, base::IpAddress::parse("10.0.0.1")), 41234u);
}

TEST(UnitOfCgroup, ReadsBothHierarchies) {
  EXPECT_EQ(unit_of_cgroup("0::/system.slice/system-openvpn\\x2dclient.slice/"
                           "openvpn-client@x.service\n"),
            "openvpn-client@x.service");
  EXPECT_EQ(unit_of_cgroup("5:devices:/system.slice/other.service\n"
                           "1:name=systemd:/system.slice/ssh.service/sub\n"),
            "ssh.service");
  EXPECT_EQ(unit_of_cgroup("0::/\n"), "");
}

TEST(UdpPortHolder, NamesThisProcess) {
  const base::UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  socklen_t length = sizeof address;
  ASSERT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const auto holder = udp_port_holder(ntohs(address.sin_port));
  // Who only keeps others' is named if there is no other.
  EXPECT_EQ(udp_port_holder(ntohs(address.sin_port), {}, ::getpid()), holder);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto other = udp_port_holder(ntohs(address.sin_port), {}, ::getpid());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->pid, child);
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->pid, ::getpid());
  EXPECT_NE(to_string(*holder).find("pid " + std::to_string(::getpid())), std::string::npos);
}

TEST(InterfaceHolder, LoopbackIsThereAndNobodysDescriptorKeepsIt) {
  EXPECT_FALSE(interface_holder("tct-none").has_value());
  const auto holder = interface_holder("lo");
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->pid, 0);
  EXPECT_EQ(to_string(*holder), "another process");
  EXPECT_FALSE(is_tun("lo"));
  EXPECT_TRUE(is_foreign_interface("lo"));
  EXPECT_FALSE(is_foreign_interface("tct-none"));
  EXPECT_FALSE(is_foreign_interface("a-name-that-is-too-long"));
  EXPECT_FALSE(is_tun("tct-none"));
}

}  // namespace
}  // namespace host
