// SPDX-License-Identifier: Apache-2.0
// Private to this room: the sending half of a UdpPort.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>

#include "fastpath/io/socket_address.h"
#include "fastpath/io/udp_port.h"

namespace io {

// Neighbours of one size and type of service for one peer leave as a train in one message
// (UDP_SEGMENT), the last of them may be shorter; all trains of a batch leave in one sendmmsg(2).
class UdpPort::Sender {
 public:
  Sender(int fd, base::IpFamily family) : fd_(fd), family_(family) {}
  void write(packet::PacketBatch& batch, packet::DropCounters& drops);

 private:
  static constexpr std::size_t kMessages = packet::kBatchPackets;
  static constexpr std::size_t kTrainBytesMax = 65000;  // below IPv4's and IPv6's limits for UDP

  // Packets [first, first + count) of packets_, as one message.
  struct Train {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t bytes = 0;
    bool closed = false;  // holds a shorter last packet
    SocketAddress to;
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(std::uint16_t)) +
                                                  CMSG_SPACE(sizeof(int))> control{};
  };

  bool joins(const Train& train, const packet::Packet& packet) const;
  void collect(packet::PacketBatch& batch);
  void describe(std::size_t index);
  static void add_tos(const packet::Packet& packet, Train& train, msghdr& header);
  void send_all(packet::DropCounters& drops);
  // What to do about train `index`, which the kernel refused with `error`; true: it is done with.
  bool settle(std::size_t index, int error, packet::DropCounters& drops);
  void send_singly(Train& train, packet::DropCounters& drops);
  bool wait_for_room();
  void drop(const Train& train, packet::DropReason reason, packet::DropCounters& drops);

  const int fd_;
  const base::IpFamily family_;
  // Datagrams of this size and above are refused in trains, because a train is never fragmented.
  std::size_t train_refused_at_ = kTrainBytesMax;
  std::array<packet::Packet*, kMessages> packets_{};
  std::array<iovec, kMessages> pieces_{};
  std::array<Train, kMessages> trains_{};
  std::array<mmsghdr, kMessages> headers_{};
  std::size_t packet_count_ = 0;
  std::size_t train_count_ = 0;
};

}  // namespace io
