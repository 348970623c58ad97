// SPDX-License-Identifier: Apache-2.0
// A tun device of a network namespace of this process's own; skipped where that is not allowed.
// Large packets are put into the device's queue as the kernel's TCP would (packet(7),
// PACKET_VNET_HDR).
#include "fastpath/io/tun_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/packet/segment_layout.h"

namespace {

constexpr std::size_t kTcpAt = 32;  // IPv4 with 12 bytes of options
constexpr std::size_t kHeaderBytes = kTcpAt + 20;

// All checksums as offload leaves them.
base::Bytes large_packet(std::size_t payload) {
  base::Bytes p(kHeaderBytes + payload, 0x55);
  std::fill_n(p.begin(), kHeaderBytes, std::uint8_t{0});
  p[0] = 0x48;
  base::store_be16(&p[2], static_cast<std::uint16_t>(p.size()));
  p[8] = 64;
  p[9] = 6;
  base::store_be32(&p[12], 0x0a080001);
  base::store_be32(&p[16], 0x0a080002);
  std::fill_n(p.begin() + 20, 12, std::uint8_t{1});  // no operation
  p[kTcpAt + 12] = 5 << 4;
  p[kTcpAt + 13] = 0x10;
  const auto transport = static_cast<std::uint32_t>(p.size() - kTcpAt);
  base::store_be16(&p[kTcpAt + 16], packet::pseudo_header_sum(p, 6, transport));
  return p;
}

class TunPort : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const char* skipped = nullptr;
    if (::access("/dev/net/tun", R_OK | W_OK) != 0) skipped = "SKIPPED: needs tun: /dev/net/tun";
    if (::unshare(CLONE_NEWNET) != 0) skipped = "SKIPPED: needs netns: unshare(2) refused";
    if (skipped == nullptr) return;
    std::puts(skipped);
    std::exit(77);
  }
  void SetUp() override {
    auto port = io::TunPort::open("tct0");
    ASSERT_TRUE(port) << to_string(port.error().problem);
    port_ = std::move(*port);
    ifreq request{};
    std::strcpy(request.ifr_name, "tct0");
    request.ifr_flags = IFF_UP;
    const base::UniqueFd fd(::socket(AF_INET, SOCK_DGRAM, 0));
    ASSERT_EQ(::ioctl(fd.get(), SIOCSIFFLAGS, &request), 0);
    inject_.reset(::socket(AF_PACKET, SOCK_RAW, 0));
    const int on = 1;
    ASSERT_EQ(::setsockopt(inject_.get(), SOL_PACKET, PACKET_VNET_HDR, &on, sizeof on), 0);
  }

  // Behind a virtio header (flags: checksum wanted; type: TCP over IPv4), in this machine's order.
  void put(const base::Bytes& packet, std::uint16_t piece) {
    base::Bytes whole(10 + packet.size());
    whole[0] = whole[1] = 1;
    const std::uint16_t fields[] = {kHeaderBytes, piece, kTcpAt, 16};
    std::memcpy(&whole[2], fields, sizeof fields);
    std::copy(packet.begin(), packet.end(), whole.begin() + 10);
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_protocol = htons(ETH_P_IP);
    to.sll_ifindex = static_cast<int>(::if_nametoindex("tct0"));
    ASSERT_EQ(::sendto(inject_.get(), whole.data(), whole.size(), 0,
                       reinterpret_cast<const sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(whole.size()))
        << std::strerror(errno);
  }

  // What comes out over IPv4, for the kernel speaks IPv6 by itself.
  std::vector<base::Bytes> read(packet::PacketBatch& batch) {
    std::vector<base::Bytes> packets;
    pollfd readable{port_->readable_fd(), POLLIN, 0};
    while (::poll(&readable, 1, 300) > 0) {
      batch.clear();
      port_->read(batch);
      for (const packet::Packet& p : batch.packets()) {
        if (p.dropped() || p.size() == 0 || p.bytes()[0] >> 4 != 4) continue;
        packets.emplace_back(p.bytes().begin(), p.bytes().end());
      }
    }
    return packets;
  }
  std::uint64_t drops(packet::DropReason reason) const {
    return port_->drops()[static_cast<std::size_t>(reason)];
  }

  std::unique_ptr<io::TunPort> port_;
  base::UniqueFd inject_;
};

TEST_F(TunPort, CutsWhatHasOptions) {
  put(large_packet(2500), 1000);
  packet::PacketBatch batch(1500);
  const auto pieces = read(batch);
  ASSERT_EQ(pieces.size(), 3u);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const base::ByteSpan p = pieces[i];
    EXPECT_EQ(p.size(), kHeaderBytes + (i == 2 ? 500 : 1000));
    EXPECT_EQ(packet::checksum_add(0, p.first(kTcpAt)), 0xffff);
    const auto tcp = p.subspan(kTcpAt);
    const auto pseudo = packet::pseudo_header_sum(p, 6, static_cast<std::uint32_t>(tcp.size()));
    EXPECT_EQ(packet::checksum_add(pseudo, tcp), 0xffff);
  }
  EXPECT_EQ(drops(packet::DropReason::kNotIp), 0u);
}

// The interface's MTU was raised behind our back: each packet of the train is a drop.
TEST_F(TunPort, CountsEveryPacketOfATrainThatDoesNotFit) {
  put(large_packet(2500), 1000);
  packet::PacketBatch batch(500);
  EXPECT_TRUE(read(batch).empty());
  EXPECT_EQ(drops(packet::DropReason::kTooLong), 3u);
}

// Both ways through a real kernel: its UDP leaves in a train and is cut here; what is joined here
// reaches a socket datagram by datagram.
class TunPortWithAddress : public TunPort {
 protected:
  void SetUp() override {
    TunPort::SetUp();
    // Whether that is true is asked of the kernel again, by skip.py.
    if (port_->offloads() != "tso,uso") GTEST_SKIP() << "SKIPPED: needs uso: TUNSETOFFLOAD refused";
    ifreq request{};
    std::strcpy(request.ifr_name, "tct0");
    set(request.ifr_addr, "10.9.0.1", 0);
    socket_.reset(::socket(AF_INET, SOCK_DGRAM, 0));
    ASSERT_EQ(::ioctl(socket_.get(), SIOCSIFADDR, &request), 0);
    set(request.ifr_netmask, "255.255.255.0", 0);
    ASSERT_EQ(::ioctl(socket_.get(), SIOCSIFNETMASK, &request), 0);
    sockaddr_in own{};
    set(own, "10.9.0.1", 4000);
    ASSERT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  }

  template <typename Address>
  static void set(Address& to, const char* address, std::uint16_t port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    ::inet_pton(AF_INET, address, &in.sin_addr);
    static_assert(sizeof to >= sizeof in);
    std::memcpy(&to, &in, sizeof in);
  }

  base::UniqueFd socket_;
};

TEST_F(TunPortWithAddress, CutsATrainOfDatagrams) {
  const int piece = 100;
  ASSERT_EQ(::setsockopt(socket_.get(), SOL_UDP, UDP_SEGMENT, &piece, sizeof piece), 0);
  base::Bytes train(950);
  for (std::size_t i = 0; i < train.size(); ++i) train[i] = static_cast<std::uint8_t>(i * 3);
  sockaddr_in to{};
  set(to, "10.9.0.2", 5000);
  ASSERT_EQ(::sendto(socket_.get(), train.data(), train.size(), 0,
                     reinterpret_cast<const sockaddr*>(&to), sizeof to),
            static_cast<ssize_t>(train.size()));
  packet::PacketBatch batch(1500);
  const auto pieces = read(batch);
  ASSERT_EQ(pieces.size(), 10u);
  base::Bytes together;
  for (const base::Bytes& p : pieces) {
    const base::ByteSpan udp = base::ByteSpan(p).subspan(20);
    EXPECT_EQ(base::load_be16(&udp[4]), udp.size());
    const auto pseudo = packet::pseudo_header_sum(p, 17, static_cast<std::uint32_t>(udp.size()));
    EXPECT_EQ(packet::checksum_add(pseudo, udp), 0xffff);
    together.insert(together.end(), p.begin() + 28, p.end());
  }
  EXPECT_EQ(together, train);
}

TEST_F(TunPortWithAddress, JoinedDatagramsArriveOneByOne) {
  packet::PacketBatch batch(1500);
  constexpr std::size_t kDatagrams = 20;
  for (std::size_t i = 0; i < kDatagrams; ++i) {
    const std::size_t payload = i + 1 < kDatagrams ? 100 : 60;
    base::Bytes p(28 + payload, static_cast<std::uint8_t>(i));
    std::fill_n(p.begin(), 28, std::uint8_t{0});
    p[0] = 0x45;
    p[6] = 0x40;
    p[8] = 64;
    p[9] = 17;
    base::store_be32(&p[12], 0x0a090002);
    base::store_be32(&p[16], 0x0a090001);
    base::store_be16(&p[20], 5000);
    base::store_be16(&p[22], 4000);
    packet::set_lengths({true, packet::kProtocolUdp, 20, 8}, p, p.size());
    const base::ByteSpan udp = base::ByteSpan(p).subspan(20);
    const auto pseudo = packet::pseudo_header_sum(p, 17, static_cast<std::uint32_t>(udp.size()));
    base::store_be16(&p[26], packet::checksum_finish(packet::checksum_add(pseudo, udp)));
    ASSERT_TRUE(batch.append()->replace(p));
  }
  port_->write(batch);
  for (std::size_t i = 0; i < kDatagrams; ++i) {
    std::array<std::uint8_t, 200> got{};
    const ssize_t size = ::recv(socket_.get(), got.data(), got.size(), MSG_DONTWAIT);
    ASSERT_EQ(size, i + 1 < kDatagrams ? 100 : 60) << i;
    EXPECT_EQ(got[0], i);
    EXPECT_EQ(got[static_cast<std::size_t>(size) - 1], i);
  }
  EXPECT_EQ(drops(packet::DropReason::kTunFailed), 0u);
}

}  // namespace
