// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/tcp_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "fastpath/io/event_loop.h"
#include "fastpath/io/memory_port.h"
#include "fastpath/io/socket_address.h"
#include "fastpath/io/tcp_socket.h"
#include "tests/support/vectors.h"

namespace {

using io::ReadOutcome;
using packet::DropReason;
using packet::PacketBatch;

constexpr std::size_t kPayloadMax = 1600;
const base::Endpoint kPeer{base::IpAddress::v4(0xc0000202), 1194};

base::Bytes pattern(std::size_t size, std::uint8_t mark) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + mark);
  return bytes;
}

void put(PacketBatch& batch, const base::Bytes& bytes) {
  packet::Packet& packet = *batch.append();
  std::ranges::copy(bytes, packet.fill_space().begin());
  packet.set_size(bytes.size());
}

base::Bytes framed(const std::vector<base::Bytes>& packets) {
  base::Bytes stream;
  for (const base::Bytes& packet : packets) {
    stream.push_back(static_cast<std::uint8_t>(packet.size() >> 8));
    stream.push_back(static_cast<std::uint8_t>(packet.size()));
    stream.insert(stream.end(), packet.begin(), packet.end());
  }
  return stream;
}

// Two connected stream sockets: one inside a port, the other in the test's hand.
struct Wire {
  explicit Wire(base::ByteSpan early = {}) {
    int fds[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
    port = std::make_unique<io::TcpPort>(base::UniqueFd(fds[0]), kPeer, early);
    far.reset(fds[1]);
  }
  void send(base::ByteSpan bytes) {
    ASSERT_EQ(::send(far.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // What the port wrote, as far as it is there, at most `max` bytes.
  base::Bytes take(std::size_t max = 1 << 20) {
    base::Bytes bytes(max);
    const ssize_t count = ::recv(far.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
  }
  // Everything that can be read now.
  ReadOutcome read(std::vector<base::Bytes>& got, std::size_t slots = packet::kBatchPackets) {
    PacketBatch batch(kPayloadMax, slots);
    ReadOutcome outcome = ReadOutcome::kMore;
    while (outcome == ReadOutcome::kMore) {
      batch.clear();
      outcome = port->read(batch);
      for (const packet::Packet& packet : batch.packets()) {
        EXPECT_EQ(packet.peer, kPeer);
        got.emplace_back(packet.bytes().begin(), packet.bytes().end());
      }
    }
    return outcome;
  }

  std::unique_ptr<io::TcpPort> port;
  base::UniqueFd far;
};

std::vector<base::Bytes> captured_packets() {
  std::vector<base::Bytes> packets;
  for (const auto& vector : support::load_static_vectors("static_aes256_sha256_tcp.json")) {
    EXPECT_TRUE(vector.tcp) << vector.name;
    packets.push_back(vector.wire);
  }
  return packets;
}

TEST(TcpPort, ReadsTheCapturedStreamInOnePiece) {
  const auto packets = captured_packets();
  ASSERT_GE(packets.size(), 3u);
  Wire wire;
  wire.send(framed(packets));
  std::vector<base::Bytes> got;
  EXPECT_EQ(wire.read(got), ReadOutcome::kDrained);
  EXPECT_EQ(got, packets);
  EXPECT_EQ(wire.port->ending(), "");
}

TEST(TcpPort, ReadsTheCapturedStreamByteByByte) {
  const auto packets = captured_packets();
  Wire wire;
  std::vector<base::Bytes> got;
  std::size_t whole = 0, at = 0;
  for (const base::Bytes& packet : packets) {
    for (const std::uint8_t byte : framed({packet})) {
      ASSERT_EQ(got.size(), whole) << "a packet before its last byte, at " << at++;
      wire.send({&byte, 1});
      ASSERT_EQ(wire.read(got), ReadOutcome::kDrained);
    }
    ++whole;
  }
  EXPECT_EQ(got, packets);
}

TEST(TcpPort, EveryTruncationGivesTheWholePacketsAndThenTheEnd) {
  const auto packets = captured_packets();
  const base::Bytes stream = framed(packets);
  for (std::size_t length = 0; length <= stream.size(); ++length) {
    Wire wire;
    if (length > 0) wire.send(base::ByteSpan(stream).first(length));
    wire.far.reset();
    std::vector<base::Bytes> got;
    // A short read is taken for the last one; the loop asks again, because the end is readable too.
    if (wire.read(got) == ReadOutcome::kDrained) {
      EXPECT_EQ(wire.read(got), ReadOutcome::kGone);
    }
    EXPECT_EQ(wire.port->ending(), "the far end closed it");
    std::size_t whole = 0, bytes = 0;
    while (whole < packets.size() && bytes + 2 + packets[whole].size() <= length) {
      bytes += 2 + packets[whole++].size();
    }
    ASSERT_EQ(got.size(), whole) << length;
    for (std::size_t i = 0; i < whole; ++i) EXPECT_EQ(got[i], packets[i]);
  }
}

TEST(TcpPort, WritesTheCapturedStream) {
  const auto packets = captured_packets();
  Wire wire;
  PacketBatch batch(kPayloadMax);
  for (const base::Bytes& packet : packets) put(batch, packet);
  wire.port->write(batch);
  EXPECT_EQ(wire.take(), framed(packets));
  EXPECT_FALSE(wire.port->backed_up());
}

TEST(TcpPort, WhatWasReadEarlyComesFirst) {
  const std::vector<base::Bytes> packets{pattern(100, 1), pattern(200, 2)};
  const base::Bytes stream = framed(packets);
  Wire wire(base::ByteSpan(stream).first(105));
  wire.send(base::ByteSpan(stream).subspan(105));
  std::vector<base::Bytes> got;
  EXPECT_EQ(wire.read(got), ReadOutcome::kDrained);
  EXPECT_EQ(got, packets);
}

TEST(TcpPort, DroppedAndSwallowedPacketsStayHere) {
  Wire wire;
  PacketBatch batch(kPayloadMax);
  for (std::uint8_t i = 0; i < 4; ++i) put(batch, pattern(10, i));
  batch.packets()[1].drop(DropReason::kNoPeer);
  batch.packets()[2].swallowed = true;
  wire.port->write(batch);
  EXPECT_EQ(wire.take(), framed({pattern(10, 0), pattern(10, 3)}));
}

TEST(TcpPort, ItsTypeOfServiceFollowsWhatItCarries) {
  io::TcpSettings settings;
  auto listener = io::TcpListener::open(settings);
  ASSERT_TRUE(listener);
  ASSERT_EQ(listener->listen(), "");
  const base::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto to = io::to_socket_address({base::IpAddress::v4(0x7f000001), listener->local_port()},
                                        base::IpFamily::kIpv4);
  ASSERT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.length), 0);
  io::TcpPort port(base::UniqueFd(::dup(fd.get())), {base::IpAddress::v4(0x7f000001), 1});
  for (const std::uint8_t tos : {0x00, 0xb8, 0xb8, 0x00}) {
    PacketBatch batch(kPayloadMax);
    put(batch, pattern(100, 1));
    batch.packets()[0].tos = tos;
    port.write(batch);
    int has = -1;
    socklen_t length = sizeof has;
    ASSERT_EQ(::getsockopt(fd.get(), IPPROTO_IP, IP_TOS, &has, &length), 0);
    EXPECT_EQ(has, tos);
  }
}

TEST(TcpPort, ABurstLargerThanItsBufferComesWholeThroughSmallBatches) {
  Wire wire;
  const int large = 4 << 20;
  ::setsockopt(wire.far.get(), SOL_SOCKET, SO_SNDBUFFORCE, &large, sizeof large);
  std::vector<base::Bytes> sent, got;
  std::size_t bytes = 0;
  for (std::size_t i = 0; bytes < 150'000; ++i) {
    sent.push_back(pattern(1 + i * 37 % kPayloadMax, static_cast<std::uint8_t>(i)));
    bytes += sent.back().size() + 2;
    wire.send(framed({sent.back()}));
  }
  EXPECT_EQ(wire.read(got, 5), ReadOutcome::kDrained);
  EXPECT_EQ(got, sent);
}

TEST(TcpPort, ALengthThatCannotBeEndsTheConnectionBehindThePacketsBeforeIt) {
  for (const std::size_t length : {std::size_t{0}, kPayloadMax + 1, std::size_t{65535}}) {
    Wire wire;
    wire.send(framed({pattern(50, 1)}));
    const base::Bytes head{static_cast<std::uint8_t>(length >> 8),
                           static_cast<std::uint8_t>(length)};
    wire.send(head);
    std::vector<base::Bytes> got;
    EXPECT_EQ(wire.read(got), ReadOutcome::kGone) << length;
    EXPECT_THAT(got, testing::ElementsAre(pattern(50, 1)));
    EXPECT_THAT(wire.port->ending(), testing::HasSubstr(std::to_string(length) + " bytes"));
    PacketBatch batch(kPayloadMax);
    put(batch, pattern(9, 9));
    wire.port->write(batch);
    EXPECT_EQ(batch.packets()[0].verdict, DropReason::kSendFailed);
    EXPECT_TRUE(wire.take().empty());
  }
}

TEST(TcpPort, TheLargestAndTheSmallestPacketPass) {
  Wire wire;
  PacketBatch batch(kPayloadMax);
  put(batch, pattern(kPayloadMax, 3));
  put(batch, pattern(1, 4));
  wire.port->write(batch);
  wire.send(wire.take());
  std::vector<base::Bytes> got;
  EXPECT_EQ(wire.read(got), ReadOutcome::kDrained);
  EXPECT_EQ(got, (std::vector{pattern(kPayloadMax, 3), pattern(1, 4)}));
}

// The far end reads slowly: nothing is lost, and the port says when it is backed up.
TEST(TcpPort, ASlowReaderGetsEveryByteInOrder) {
  Wire wire;
  const int small = 4096;
  ::setsockopt(wire.port->readable_fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  std::vector<base::Bytes> sent;
  base::Bytes got;
  bool was_backed_up = false;
  for (int round = 0; round < 20; ++round) {
    PacketBatch batch(kPayloadMax);
    for (int i = 0; i < 10; ++i) {
      sent.push_back(pattern(1000 + 31 * i, static_cast<std::uint8_t>(round * 10 + i)));
      put(batch, sent.back());
    }
    ASSERT_FALSE(wire.port->backed_up());
    wire.port->write(batch);
    while (wire.port->backed_up()) {
      was_backed_up = true;
      const base::Bytes piece = wire.take(777);
      got.insert(got.end(), piece.begin(), piece.end());
      wire.port->flush();
    }
  }
  const base::Bytes rest = wire.take();
  got.insert(got.end(), rest.begin(), rest.end());
  EXPECT_TRUE(was_backed_up);
  EXPECT_EQ(got, framed(sent));
  EXPECT_EQ(wire.port->drops(), packet::DropCounters{});
}

TEST(TcpPort, PingsWaitBehindABacklogUntilItNeverEnds) {
  Wire wire;
  const int small = 4096;
  ::setsockopt(wire.port->readable_fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  PacketBatch batch(kPayloadMax);
  for (int i = 0; i < 60; ++i) put(batch, pattern(kPayloadMax, 1));
  wire.port->write(batch);
  ASSERT_TRUE(wire.port->backed_up());
  int pings = 0;
  while (wire.port->backed_up() && pings < 10'000) {
    PacketBatch own(kPayloadMax, 1);
    put(own, pattern(100, 2));
    wire.port->write(own);
    ++pings;
  }
  EXPECT_GT(pings, 600);
  EXPECT_LT(pings, 700);
  EXPECT_EQ(wire.port->ending(), "the far end takes nothing any more");
  std::vector<base::Bytes> got;
  EXPECT_EQ(wire.read(got), ReadOutcome::kGone);
}

TEST(TcpPort, WritingToAClosedConnectionEndsIt) {
  Wire wire;
  wire.far.reset();
  PacketBatch batch(kPayloadMax);
  put(batch, pattern(10, 1));
  wire.port->write(batch);
  EXPECT_EQ(wire.port->ending(), "Broken pipe");
  pollfd ready{wire.port->readable_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&ready, 1, 0), 1) << "the loop would never ask";
}

io::TcpSettings loopback_settings(bool v6 = false) {
  io::TcpSettings settings;
  settings.family = v6 ? base::IpFamily::kIpv6 : base::IpFamily::kIpv4;
  settings.local = base::IpAddress::parse(v6 ? "::1" : "127.0.0.1");
  return settings;
}

bool ready_for(int fd, short events) {
  pollfd ready{fd, events, 0};
  return ::poll(&ready, 1, 5000) == 1;
}

std::string call(const base::Endpoint& to, bool v6 = false) {
  io::TcpSettings settings;
  settings.family = v6 ? base::IpFamily::kIpv6 : base::IpFamily::kIpv4;
  const auto socket = io::begin_connect(settings, to);
  if (!socket) return socket.error().problem.message;
  if (!ready_for(socket->get(), POLLOUT)) return "no answer";
  return io::connect_problem(socket->get());
}

TEST(TcpListener, IsCalledAndRestsAndListensAgainOnItsPort) {
  for (const bool v6 : {false, true}) {
    // Asked of the machine, not of the code under test: a listener that fails is no such machine.
    if (v6 && ::access("/proc/net/if_inet6", F_OK) != 0)
      GTEST_SKIP() << "SKIPPED: needs ipv6: no /proc/net/if_inet6";
    io::TcpSettings settings = loopback_settings(v6);
    // A port that is asked for by its number stays; one that the kernel picks is picked anew.
    if (auto picked = io::TcpListener::open(settings)) settings.port = picked->local_port();
    auto listener = io::TcpListener::open(settings);
    ASSERT_TRUE(listener);
    const base::Endpoint here{*loopback_settings(v6).local, listener->local_port()};
    EXPECT_EQ(call(here, v6), "Connection refused");
    for (int round = 0; round < 3; ++round) {
      ASSERT_EQ(listener->listen(), "");
      EXPECT_FALSE(listener->accept());
      EXPECT_EQ(call(here, v6), "");
      ASSERT_TRUE(ready_for(listener->fd(), POLLIN));
      const auto caller = listener->accept();
      ASSERT_TRUE(caller);
      EXPECT_EQ(caller->from.address, here.address);
      listener->rest();
      EXPECT_EQ(call(here, v6), "Connection refused");
      EXPECT_EQ(listener->local_port(), here.port);
    }
  }
}

TEST(TcpListener, NamesAPortThatIsTaken) {
  auto first = io::TcpListener::open(loopback_settings());
  ASSERT_TRUE(first);
  ASSERT_EQ(first->listen(), "");
  io::TcpSettings same = loopback_settings();
  same.port = first->local_port();
  const auto second = io::TcpListener::open(same);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().problem.message,
            "TCP port " + std::to_string(*same.port) + " is in use");
  EXPECT_FALSE(second.error().lasting);
}

TEST(TcpListener, NamesAnAddressThatIsNotHere) {
  io::TcpSettings elsewhere = loopback_settings();
  elsewhere.local = base::IpAddress::parse("192.0.2.77");
  const auto listener = io::TcpListener::open(elsewhere);
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().problem.message, "local 192.0.2.77 is not an address of this machine");
}

}  // namespace
