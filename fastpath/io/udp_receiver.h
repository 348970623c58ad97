// SPDX-License-Identifier: Apache-2.0
// Private to this room: the receiving half of a UdpPort.
#pragma once

#include <sys/socket.h>

#include <array>
#include <memory>

#include "fastpath/io/udp_port.h"

namespace io {

// The kernel hands over trains: up to 64 datagrams of one size in one buffer (UDP_GRO). They are
// cut up here. A train that does not fit the caller's batch waits for the next read.
class UdpPort::Receiver {
 public:
  explicit Receiver(int fd);
  ~Receiver();
  ReadOutcome read(packet::PacketBatch& batch, packet::DropCounters& drops);
  bool trains() const { return trains_; }  // this kernel hands them over

 private:
  static constexpr std::size_t kMessages = 32;
  static constexpr std::size_t kMessageBytes = 65536;
  struct Message;

  bool receive();  // false: nothing was waiting
  void cut(packet::PacketBatch& batch, packet::DropCounters& drops);

  int fd_;
  bool trains_ = false;
  std::unique_ptr<std::uint8_t[]> memory_;
  std::unique_ptr<Message[]> messages_;
  std::array<mmsghdr, kMessages> headers_{};
  std::size_t received_ = 0;  // messages of the last recvmmsg(2)
  std::size_t current_ = 0;   // the one being cut
  std::size_t offset_ = 0;    // where in it
};

}  // namespace io
