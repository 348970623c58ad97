// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/udp_sender.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>

#include <cerrno>
#include <cstring>
#include <span>

namespace io {
namespace {

// How long a worker waits for a full socket buffer before it drops: longer than the buffer needs to
// drain on any link worth a tunnel, shorter than anybody's ping timer.
constexpr int kRoomWaitMs = 50;

// Behind what `header` has already; `space` is where all of it is.
template <typename Value>
void add_control(msghdr& header, std::span<std::uint8_t> space, int level, int type, Value value) {
  const std::size_t used = header.msg_controllen;
  cmsghdr control{};
  control.cmsg_level = level;
  control.cmsg_type = type;
  control.cmsg_len = CMSG_LEN(sizeof value);
  std::memcpy(&space[used], &control, sizeof control);
  std::memcpy(&space[used + CMSG_LEN(0)], &value, sizeof value);
  header.msg_control = space.data();
  header.msg_controllen = used + CMSG_SPACE(sizeof value);
}

}  // namespace

void UdpPort::Sender::write(packet::PacketBatch& batch, packet::DropCounters& drops) {
  collect(batch);
  for (std::size_t i = 0; i < train_count_; ++i) describe(i);
  send_all(drops);
}

bool UdpPort::Sender::joins(const Train& train, const packet::Packet& packet) const {
  const packet::Packet& head = *packets_[train.first];
  return !train.closed && packet.size() <= head.size() && head.size() < train_refused_at_ &&
         packet.size() > 0 && train.bytes + packet.size() <= kTrainBytesMax &&
         packet.peer == head.peer && packet.tos == head.tos;
}

void UdpPort::Sender::collect(packet::PacketBatch& batch) {
  packet_count_ = train_count_ = 0;
  for (packet::Packet& packet : batch.packets()) {
    if (packet.dropped() || packet.swallowed) continue;
    if (packet_count_ == kMessages) break;
    const std::size_t index = packet_count_++;
    packets_[index] = &packet;
    pieces_[index] = {packet.bytes().data(), packet.size()};
    if (train_count_ > 0 && joins(trains_[train_count_ - 1], packet)) {
      Train& train = trains_[train_count_ - 1];
      train.closed = packet.size() < packets_[train.first]->size();
      ++train.count;
      train.bytes += packet.size();
      continue;
    }
    Train& train = trains_[train_count_++];
    train.first = index;
    train.count = 1;
    train.bytes = packet.size();
    train.closed = false;
    train.to = to_socket_address(packet.peer, family_);
  }
}

void UdpPort::Sender::describe(std::size_t index) {
  Train& train = trains_[index];
  msghdr& header = headers_[index].msg_hdr;
  header = {};
  header.msg_name = &train.to.storage;
  header.msg_namelen = train.to.length;
  header.msg_iov = &pieces_[train.first];
  header.msg_iovlen = train.count;
  add_tos(*packets_[train.first], train, header);
  if (train.count == 1) return;
  const auto segment = static_cast<std::uint16_t>(packets_[train.first]->size());
  add_control(header, train.control, SOL_UDP, UDP_SEGMENT, segment);
}

// By the family of the address: an IPv4 one is sent as IPv4 from an IPv6 socket too.
void UdpPort::Sender::add_tos(const packet::Packet& packet, Train& train, msghdr& header) {
  if (packet.tos == 0) return;
  const bool v4 = packet.peer.address.is_v4();
  add_control(header, train.control, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_TOS : IPV6_TCLASS,
              int{packet.tos});
}

void UdpPort::Sender::send_all(packet::DropCounters& drops) {
  std::size_t at = 0;
  while (at < train_count_) {
    const int sent =
        ::sendmmsg(fd_, &headers_[at], static_cast<unsigned>(train_count_ - at), MSG_DONTWAIT);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
    } else if (settle(at, errno, drops)) {
      ++at;
    }
  }
}

bool UdpPort::Sender::settle(std::size_t index, int error, packet::DropCounters& drops) {
  Train& train = trains_[index];
  if (error == EINTR) return false;
  // Not ENOBUFS: the kernel is short of memory then, and the socket writable all the same.
  if (error == EAGAIN) {
    if (wait_for_room()) return false;
    drop(train, packet::DropReason::kSendFailed, drops);
    return true;
  }
  const bool train_refused = error == EMSGSIZE || error == EINVAL || error == EIO;
  if (train.count > 1 && train_refused) {
    // Too large for the path in one piece, or a device without checksums: singles may be fragmented
    // or summed in software, trains never are.
    train_refused_at_ = error == EIO ? 0 : packets_[train.first]->size();
    send_singly(train, drops);
    return true;
  }
  drop(train, error == EMSGSIZE ? packet::DropReason::kTooLong : packet::DropReason::kSendFailed,
       drops);
  return true;
}

void UdpPort::Sender::send_singly(Train& train, packet::DropCounters& drops) {
  for (std::size_t i = train.first; i < train.first + train.count; ++i) {
    msghdr header{};
    header.msg_name = &train.to.storage;
    header.msg_namelen = train.to.length;
    header.msg_iov = &pieces_[i];
    header.msg_iovlen = 1;
    add_tos(*packets_[i], train, header);
    ssize_t sent = ::sendmsg(fd_, &header, MSG_DONTWAIT);
    if (sent < 0 && errno == EAGAIN && wait_for_room()) {
      sent = ::sendmsg(fd_, &header, MSG_DONTWAIT);
    }
    if (sent >= 0) continue;
    const auto reason =
        errno == EMSGSIZE ? packet::DropReason::kTooLong : packet::DropReason::kSendFailed;
    packets_[i]->drop(reason);
    count(drops, reason);
  }
}

bool UdpPort::Sender::wait_for_room() {
  pollfd room{fd_, POLLOUT, 0};
  return ::poll(&room, 1, kRoomWaitMs) > 0;
}

void UdpPort::Sender::drop(const Train& train, packet::DropReason reason,
                           packet::DropCounters& drops) {
  for (std::size_t i = train.first; i < train.first + train.count; ++i) {
    packets_[i]->drop(reason);
    count(drops, reason);
  }
}

}  // namespace io
