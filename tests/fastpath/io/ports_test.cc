// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "fastpath/io/event_loop.h"
#include "fastpath/io/memory_port.h"
#include "fastpath/io/null_port.h"
#include "fastpath/io/socket_address.h"
#include "fastpath/io/udp_port.h"

namespace {

using packet::DropReason;
using packet::PacketBatch;

constexpr std::size_t kPayloadMax = 1600;

std::uint64_t drops_of(const io::PacketPort& port, DropReason reason) {
  return port.drops()[static_cast<std::size_t>(reason)];
}

base::Bytes pattern(std::size_t size, std::uint8_t mark) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i + mark);
  return bytes;
}

void put(PacketBatch& batch, const base::Bytes& bytes, const base::Endpoint& to) {
  packet::Packet& packet = *batch.append();
  std::ranges::copy(bytes, packet.fill_space().begin());
  packet.set_size(bytes.size());
  packet.peer = to;
}

base::Endpoint loopback(const io::UdpPort& port, bool v6 = false) {
  return {*base::IpAddress::parse(v6 ? "::1" : "127.0.0.1"), port.local_port()};
}

std::unique_ptr<io::UdpPort> open(base::IpFamily family, bool dual = false) {
  io::UdpSettings settings;
  settings.family = family;
  settings.dual_stack = dual;
  auto port = io::UdpPort::open(settings);
  if (!port) return nullptr;
  return std::move(*port);
}

// Reads until `count` packets came, or for two seconds.
std::vector<io::MemoryPacket> receive(io::UdpPort& port, std::size_t count) {
  std::vector<io::MemoryPacket> got;
  PacketBatch batch(kPayloadMax);
  while (got.size() < count) {
    pollfd ready{port.readable_fd(), POLLIN, 0};
    if (::poll(&ready, 1, 2000) <= 0) break;
    io::ReadOutcome outcome;
    do {
      batch.clear();
      outcome = port.read(batch);
      for (const auto& p : batch.packets()) {
        if (!p.dropped()) got.push_back({{p.bytes().begin(), p.bytes().end()}, p.peer});
      }
    } while (outcome == io::ReadOutcome::kMore);
  }
  return got;
}

TEST(UdpPort, ABatchOfManySizesArrivesInOrder) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  PacketBatch batch(kPayloadMax);
  std::vector<base::Bytes> sent;
  // Trains of one size, a shorter last one, single packets, and a size that grows.
  for (const std::size_t size : {900, 900, 900, 40, 40, 1600, 1, 2, 3, 3, 3, 1500, 1500, 700}) {
    sent.push_back(pattern(size, static_cast<std::uint8_t>(sent.size())));
    put(batch, sent.back(), loopback(*b));
  }
  a->write(batch);
  const auto got = receive(*b, sent.size());
  ASSERT_EQ(got.size(), sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(got[i].bytes, sent[i]) << i;
    EXPECT_EQ(got[i].peer, loopback(*a)) << i;
  }
}

// What a plain socket is told about datagrams to it, and how many of them came as one train.
struct Arrival {
  int tos = -1;
  std::size_t bytes = 0;
  friend bool operator==(const Arrival&, const Arrival&) = default;
};

class PlainSocket {
 public:
  explicit PlainSocket(bool v6) : fd_(::socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0)) {
    const int on = 1;
    ::setsockopt(fd_.get(), v6 ? IPPROTO_IPV6 : IPPROTO_IP, v6 ? IPV6_RECVTCLASS : IP_RECVTOS, &on,
                 sizeof on);
    ::setsockopt(fd_.get(), SOL_UDP, UDP_GRO, &on, sizeof on);
    auto to = io::to_socket_address({*base::IpAddress::parse(v6 ? "::1" : "127.0.0.1"), 0},
                                    v6 ? base::IpFamily::kIpv6 : base::IpFamily::kIpv4);
    ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length);
    socklen_t length = sizeof to.storage;
    ::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&to.storage), &length);
    address_ = io::from_socket_address(to.storage);
  }
  const base::Endpoint& address() const { return address_; }

  std::vector<Arrival> take(std::size_t count) {
    std::vector<Arrival> arrivals;
    while (arrivals.size() < count) {
      pollfd ready{fd_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 2000) <= 0) break;
      base::Bytes bytes(65536), control(256);
      iovec piece{bytes.data(), bytes.size()};
      msghdr header{};
      header.msg_iov = &piece;
      header.msg_iovlen = 1;
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      Arrival arrival{.bytes = static_cast<std::size_t>(::recvmsg(fd_.get(), &header, 0))};
      for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
        if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) arrival.tos = *CMSG_DATA(c);
        if (c->cmsg_level != IPPROTO_IPV6 || c->cmsg_type != IPV6_TCLASS) continue;
        std::memcpy(&arrival.tos, CMSG_DATA(c), sizeof arrival.tos);
      }
      arrivals.push_back(arrival);
    }
    return arrivals;
  }

 private:
  base::UniqueFd fd_;
  base::Endpoint address_;
};

TEST(UdpPort, ATypeOfServiceIsATrainsAndEndsWithIt) {
  const auto v4 = open(base::IpFamily::kIpv4), v6 = open(base::IpFamily::kIpv6),
             dual = open(base::IpFamily::kIpv6, true);
  for (const bool to_v6 : {false, true}) {
    for (io::UdpPort* port : {to_v6 ? v6.get() : v4.get(), dual.get()}) {
      ASSERT_NE(port, nullptr);
      PlainSocket there(to_v6);
      PacketBatch batch(kPayloadMax);
      for (const auto& [tos, size] : std::vector<std::pair<int, std::size_t>>{
               {0, 900}, {0, 900}, {0xb8, 900}, {0xb8, 900}, {0xb8, 900}, {0x20, 900}, {0, 900}}) {
        put(batch, pattern(size, 1), there.address());
        batch.packets().back().tos = static_cast<std::uint8_t>(tos);
      }
      port->write(batch);
      EXPECT_EQ(there.take(4),
                (std::vector<Arrival>{{0, 1800}, {0xb8, 2700}, {0x20, 900}, {0, 900}}))
          << to_v6;
    }
  }
}

TEST(UdpPort, AFullBatchIsReadInPieces) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  for (int round = 0; round < 2; ++round) {
    PacketBatch batch(kPayloadMax);
    for (int i = 0; i < 64; ++i) {
      put(batch, pattern(1000, static_cast<std::uint8_t>(round * 64 + i)), loopback(*b));
    }
    a->write(batch);
  }
  PacketBatch small(kPayloadMax, 5);
  std::size_t count = 0;
  pollfd ready{b->readable_fd(), POLLIN, 0};
  ASSERT_GT(::poll(&ready, 1, 2000), 0);
  io::ReadOutcome outcome = io::ReadOutcome::kMore;
  while (outcome == io::ReadOutcome::kMore) {
    small.clear();
    outcome = b->read(small);
    for (const auto& p : small.packets()) {
      EXPECT_EQ(p.bytes()[0], static_cast<std::uint8_t>(count)) << count;
      ++count;
    }
  }
  EXPECT_EQ(count, 128u);
}

TEST(UdpPort, DroppedAndSwallowedPacketsStayHere) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  PacketBatch batch(kPayloadMax);
  for (std::uint8_t i = 0; i < 4; ++i) put(batch, pattern(10, i), loopback(*b));
  batch.packets()[1].drop(DropReason::kNoPeer);
  batch.packets()[2].swallowed = true;
  a->write(batch);
  const auto got = receive(*b, 2);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].bytes, pattern(10, 3));
}

TEST(UdpPort, AnOversizedDatagramIsCountedAndCostsNoSlot) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  PacketBatch large(65507, 2);
  put(large, pattern(65507, 0), loopback(*b));
  put(large, pattern(30, 1), loopback(*b));
  a->write(large);
  const auto got = receive(*b, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].bytes.size(), 30u);
  EXPECT_EQ(drops_of(*b, DropReason::kTruncated), 1u);
}

TEST(UdpPort, TooLargeToSendIsCounted) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  PacketBatch large(66000, 2);
  put(large, pattern(65600, 0), loopback(*b));
  put(large, pattern(20, 1), loopback(*b));
  a->write(large);
  EXPECT_EQ(drops_of(*a, DropReason::kTooLong), 1u);
  EXPECT_EQ(receive(*b, 1).size(), 1u);
}

TEST(UdpPort, AClosedPortAtThePeerIsNoError) {
  const auto a = open(base::IpFamily::kIpv4), b = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(a && b);
  auto gone = open(base::IpFamily::kIpv4);
  const base::Endpoint nobody = loopback(*gone);
  gone.reset();
  for (int i = 0; i < 3; ++i) {
    PacketBatch batch(kPayloadMax);
    put(batch, pattern(10, 0), nobody);
    a->write(batch);
    batch.clear();
    EXPECT_EQ(a->read(batch), io::ReadOutcome::kDrained);
  }
  PacketBatch batch(kPayloadMax);
  put(batch, pattern(10, 9), loopback(*b));
  a->write(batch);
  EXPECT_EQ(receive(*b, 1).size(), 1u);
}

TEST(UdpPort, ADualSocketSpeaksBothFamiliesAndUnmaps) {
  // Asked of the machine, not of the code under test: a port that fails is no such machine.
  if (::access("/proc/net/if_inet6", F_OK) != 0)
    GTEST_SKIP() << "SKIPPED: needs ipv6: no /proc/net/if_inet6";
  const auto dual = open(base::IpFamily::kIpv6, true), v4 = open(base::IpFamily::kIpv4);
  ASSERT_TRUE(dual);
  PacketBatch batch(kPayloadMax);
  put(batch, pattern(10, 0), loopback(*dual));
  v4->write(batch);
  const auto got = receive(*dual, 1);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].peer, loopback(*v4));
  batch.clear();
  put(batch, pattern(12, 0), got[0].peer);
  dual->write(batch);
  EXPECT_EQ(receive(*v4, 1).size(), 1u);
}

TEST(UdpPort, AnIpv6DestinationOnAnIpv4SocketIsCounted) {
  const auto a = open(base::IpFamily::kIpv4);
  PacketBatch batch(kPayloadMax);
  put(batch, pattern(10, 0), {*base::IpAddress::parse("::1"), 9});
  a->write(batch);
  EXPECT_EQ(drops_of(*a, DropReason::kSendFailed), 1u);
}

TEST(UdpPort, ItsBuffersFollowALaterWish) {
  const auto port = open(base::IpFamily::kIpv4);
  const int before = port->sndbuf_bytes();
  port->set_buffers(0, 40'000);
  EXPECT_EQ(port->rcvbuf_bytes(), 80'000) << "the kernel counts double";
  EXPECT_EQ(port->sndbuf_bytes(), before);
  port->set_buffers(50'000, 0);
  EXPECT_EQ(port->sndbuf_bytes(), 100'000);
  EXPECT_EQ(port->rcvbuf_bytes(), 80'000);
  port->set_buffers(0, 1 << 30);
  EXPECT_LE(port->rcvbuf_bytes(), 2 * io::kUdpBufferBytes) << "whoever wishes is a stranger";
}

TEST(UdpPort, ATakenPortNamesTheRemedy) {
  const auto first = open(base::IpFamily::kIpv4);
  io::UdpSettings settings;
  settings.port = first->local_port();
  const auto second = io::UdpPort::open(settings);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(to_string(second.error().problem), testing::HasSubstr("is in use"));
  EXPECT_THAT(to_string(second.error().problem), testing::HasSubstr("ss -lunp"));
  EXPECT_FALSE(second.error().lasting);
}

TEST(UdpPort, AnAddressOfAnotherMachineIsNamed) {
  io::UdpSettings settings;
  settings.local = base::IpAddress::parse("192.0.2.77");
  const auto port = io::UdpPort::open(settings);
  ASSERT_FALSE(port.ok());
  EXPECT_THAT(to_string(port.error().problem), testing::HasSubstr("192.0.2.77 is not an address"));
}

TEST(SocketAddress, RoundTrip) {
  for (const char* text : {"10.1.2.3", "fd00::17"}) {
    const base::Endpoint endpoint{*base::IpAddress::parse(text), 2011};
    const auto address = io::to_socket_address(endpoint, base::IpFamily::kIpv6);
    EXPECT_EQ(io::from_socket_address(address.storage), endpoint) << text;
  }
}

TEST(MemoryPort, ConnectedEndsDeliverToEachOther) {
  io::MemoryPort a, b;
  const base::Endpoint here{*base::IpAddress::parse("10.0.0.1"), 1};
  a.connect(b, here);
  PacketBatch batch(100);
  put(batch, pattern(10, 1), {});
  a.write(batch);
  batch.clear();
  EXPECT_EQ(b.read(batch), io::ReadOutcome::kDrained);
  ASSERT_EQ(batch.packets().size(), 1u);
  EXPECT_EQ(batch.packets()[0].peer, here);
  b.write(batch);
  EXPECT_EQ(b.take_written().size(), 1u);
  EXPECT_TRUE(b.take_written().empty());
}

TEST(NullPort, SwallowsAndNeverGives) {
  io::NullPort port;
  PacketBatch batch(100, 1);
  put(batch, pattern(10, 0), {});
  port.write(batch);
  batch.clear();
  EXPECT_EQ(port.read(batch), io::ReadOutcome::kDrained);
  EXPECT_TRUE(batch.packets().empty());
  EXPECT_EQ(port.readable_fd(), -1);
}

TEST(EventLoop, WakesForOthersAndForTime) {
  io::EventLoop loop;
  io::WakeUp wake;
  loop.watch(wake.fd(), 7);
  EXPECT_TRUE(loop.wait(base::monotonic_now()).empty());
  std::thread other([&] { wake.notify(); });
  const auto ready = loop.wait(std::nullopt);
  other.join();
  ASSERT_EQ(ready.size(), 1u);
  EXPECT_EQ(ready[0], 7u);
  wake.clear();
  const auto until = base::monotonic_now() + std::chrono::milliseconds(20);
  EXPECT_TRUE(loop.wait(until).empty());
  EXPECT_GE(base::monotonic_now(), until);
  wake.notify();
  loop.unwatch(wake.fd());
  EXPECT_TRUE(loop.wait(base::monotonic_now()).empty());
}

}  // namespace
