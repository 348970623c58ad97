// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/udp_receiver.h"

#include <netinet/udp.h>

#include <algorithm>
#include <cstring>

#include "fastpath/io/socket_address.h"

namespace io {

struct UdpPort::Receiver::Message {
  iovec space{};
  sockaddr_storage from{};
  alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(int)) + CMSG_SPACE(64)> control{};
  // Known after receive().
  base::Endpoint peer;
  std::size_t segment = 0;  // bytes of each datagram but the last
  std::size_t size = 0;
  bool truncated = false;
};

namespace {

// The size of the train's datagrams; absent for a single one (udp(7)).
std::size_t segment_size(msghdr& header, std::size_t whole) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_UDP || c->cmsg_type != UDP_GRO) continue;
    int size = 0;
    std::memcpy(&size, CMSG_DATA(c), sizeof size);
    if (size > 0) return static_cast<std::size_t>(size);
  }
  return whole;
}

}  // namespace

UdpPort::Receiver::Receiver(int fd)
    : fd_(fd),
      // Left as the kernel gives it: pages that no train ever reaches stay untouched.
      memory_(new std::uint8_t[kMessages * kMessageBytes]),
      messages_(std::make_unique<Message[]>(kMessages)) {
  const int on = 1;
  // Kernels before 5.0 do not know it and hand over single datagrams; the code below takes both.
  trains_ = ::setsockopt(fd, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
  for (std::size_t i = 0; i < kMessages; ++i) {
    messages_[i].space = {memory_.get() + i * kMessageBytes, kMessageBytes};
  }
}

UdpPort::Receiver::~Receiver() = default;

bool UdpPort::Receiver::receive() {
  for (std::size_t i = 0; i < kMessages; ++i) {
    msghdr& header = headers_[i].msg_hdr;
    Message& message = messages_[i];
    header = {};
    header.msg_name = &message.from;
    header.msg_namelen = sizeof message.from;
    header.msg_iov = &message.space;
    header.msg_iovlen = 1;
    header.msg_control = message.control.data();
    header.msg_controllen = message.control.size();
  }
  const int count = ::recvmmsg(fd_, headers_.data(), kMessages, MSG_DONTWAIT, nullptr);
  received_ = count > 0 ? static_cast<std::size_t>(count) : 0;
  current_ = offset_ = 0;
  for (std::size_t i = 0; i < received_; ++i) {
    Message& message = messages_[i];
    msghdr& header = headers_[i].msg_hdr;
    message.size = headers_[i].msg_len;
    message.segment = segment_size(header, message.size);
    message.truncated = (header.msg_flags & MSG_TRUNC) != 0;
    message.peer = from_socket_address(message.from);
  }
  return received_ > 0;
}

void UdpPort::Receiver::cut(packet::PacketBatch& batch, packet::DropCounters& drops) {
  while (current_ < received_) {
    const Message& message = messages_[current_];
    packet::Packet* packet = batch.append();
    if (packet == nullptr) return;
    const auto* from = static_cast<const std::uint8_t*>(message.space.iov_base) + offset_;
    const std::size_t size = std::min(message.segment, message.size - offset_);
    packet->peer = message.peer;
    if (message.truncated || size > batch.payload_max()) {
      packet->drop(packet::DropReason::kTruncated);
      count(drops, packet::DropReason::kTruncated);
    } else {
      packet->set_size(size);
      std::copy_n(from, size, packet->bytes().begin());
    }
    offset_ += size;
    if (offset_ < message.size) continue;
    ++current_;
    offset_ = 0;
  }
}

ReadOutcome UdpPort::Receiver::read(packet::PacketBatch& batch, packet::DropCounters& drops) {
  for (;;) {
    cut(batch, drops);
    if (current_ < received_) return ReadOutcome::kMore;
    // Fewer than asked for means that the queue ran empty; asking again would only cost a call.
    const bool ran_empty = received_ > 0 && received_ < kMessages;
    received_ = current_ = 0;
    if (ran_empty) return ReadOutcome::kDrained;
    if (batch.full()) return ReadOutcome::kMore;
    if (!receive()) return ReadOutcome::kDrained;
  }
}

}  // namespace io
