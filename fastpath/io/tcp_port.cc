// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/tcp_port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fastpath/io/bound_socket.h"

namespace io {
namespace {

// IOV_MAX of Linux is 1024; a batch is never that long.
constexpr std::size_t kPiecesMax = 1024;

ssize_t send_all(int fd, const iovec* pieces, std::size_t count) {
  msghdr message{};
  message.msg_iov = const_cast<iovec*>(pieces);  // sendmsg(2) only reads it
  message.msg_iovlen = std::min(count, kPiecesMax);
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent;
}

}  // namespace

TcpPort::TcpPort(base::UniqueFd socket, const base::Endpoint& peer, base::ByteSpan early)
    : socket_(std::move(socket)), peer_(peer) {
  const base::MutableByteSpan space = input_.space();
  const std::size_t count = std::min(early.size(), space.size());
  std::copy_n(early.begin(), count, space.begin());
  input_.filled(count);
}

void TcpPort::end(std::string why) {
  if (ending_.empty()) ending_ = std::move(why);
  // So that the loop finds it readable and asks, whichever side the reason came from.
  static_cast<void>(::shutdown(socket_.get(), SHUT_RDWR));
  pending_.clear();
  pending_begin_ = 0;
}

// reading

ReadOutcome TcpPort::read(packet::PacketBatch& batch) {
  while (ending_.empty()) {
    switch (input_.cut(batch, peer_)) {
      case FrameBuffer::Cut::kBatchFull:
        return ReadOutcome::kMore;
      case FrameBuffer::Cut::kBadLength:
        end("a packet of " + std::to_string(input_.next_length()) +
            " bytes is announced, and 1 to " + std::to_string(batch.payload_max()) +
            " can be: tun-mtu differs, or what is there speaks something else");
        return ReadOutcome::kGone;
      case FrameBuffer::Cut::kDrained:
        break;
    }
    switch (receive()) {
      case Received::kSome:
        break;
      case Received::kAll:
        return input_.cut(batch, peer_) == FrameBuffer::Cut::kDrained ? ReadOutcome::kDrained
                                                                      : ReadOutcome::kMore;
      case Received::kNothing:
        return ReadOutcome::kDrained;
      case Received::kEnd:
        return ReadOutcome::kGone;
    }
  }
  return ReadOutcome::kGone;
}

TcpPort::Received TcpPort::receive() {
  const base::MutableByteSpan space = input_.space();
  ssize_t count = 0;
  do {
    count = ::recv(socket_.get(), space.data(), space.size(), MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    input_.filled(static_cast<std::size_t>(count));
    // Less than asked for means that there is no more; asking again would only cost a call.
    return static_cast<std::size_t>(count) < space.size() ? Received::kAll : Received::kSome;
  }
  if (count < 0 && errno == EAGAIN) return Received::kNothing;
  end(count == 0 ? "the far end closed it" : std::strerror(errno));
  return Received::kEnd;
}

// writing

bool TcpPort::put_length(packet::Packet& packet) {
  const std::size_t length = packet.size();
  if (length > 0 && length <= kFramePacketMax && packet.headroom() >= kFrameLengthBytes) {
    base::store_be16(packet.push_front(kFrameLengthBytes).data(),
                     static_cast<std::uint16_t>(length));
    return true;
  }
  packet.drop(packet::DropReason::kTooLong);
  count(drops_, packet::DropReason::kTooLong);
  end("a packet of " + std::to_string(length) + " bytes cannot be sent: the tun-mtu is too large");
  return false;
}

// A stream has one for whatever it carries: that of the first packet of a batch will do.
void TcpPort::use_tos(std::uint8_t tos) {
  if (std::exchange(tos_, tos) == tos) return;
  const bool v4 = peer_.address.is_v4();
  static_cast<void>(set_socket_option(socket_.get(), v4 ? IPPROTO_IP : IPPROTO_IPV6,
                                      v4 ? IP_TOS : IPV6_TCLASS, int{tos}));
}

void TcpPort::write(packet::PacketBatch& batch) {
  pieces_.clear();
  for (packet::Packet& packet : batch.packets()) {
    if (packet.dropped() || packet.swallowed) continue;
    if (!ending_.empty()) {
      packet.drop(packet::DropReason::kSendFailed);
      count(drops_, packet::DropReason::kSendFailed);
    } else if (put_length(packet)) {
      if (pieces_.empty()) use_tos(packet.tos);
      pieces_.push_back({packet.bytes().data(), packet.size()});
    }
  }
  if (pieces_.empty() || !ending_.empty()) return;
  if (backed_up()) {
    keep_pieces(0, 0);
    if (pending_.size() > pending_max_) end("the far end takes nothing any more");
    return;
  }
  send_pieces();
  pending_max_ = pending_.size() + kPendingExtraBytes;
}

void TcpPort::send_pieces() {
  std::size_t at = 0;
  while (at < pieces_.size()) {
    const ssize_t sent = send_all(socket_.get(), &pieces_[at], pieces_.size() - at);
    if (sent < 0 && errno == EAGAIN) return keep_pieces(at, 0);
    if (sent < 0) return end(std::strerror(errno));
    std::size_t left = static_cast<std::size_t>(sent);
    while (at < pieces_.size() && left >= pieces_[at].iov_len) left -= pieces_[at++].iov_len;
    if (left > 0) return keep_pieces(at, left);
  }
}

// `sent`: bytes of the first one that are out already.
void TcpPort::keep_pieces(std::size_t from, std::size_t sent) {
  for (std::size_t i = from; i < pieces_.size(); ++i) {
    const auto* bytes = static_cast<const std::uint8_t*>(pieces_[i].iov_base);
    append_pending({bytes + sent, pieces_[i].iov_len - sent});
    sent = 0;
  }
}

void TcpPort::append_pending(base::ByteSpan bytes) {
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void TcpPort::flush() {
  while (backed_up()) {
    const iovec rest{pending_.data() + pending_begin_, pending_.size() - pending_begin_};
    const ssize_t sent = send_all(socket_.get(), &rest, 1);
    if (sent < 0 && errno == EAGAIN) return;
    if (sent < 0) return end(std::strerror(errno));
    pending_begin_ += static_cast<std::size_t>(sent);
  }
  pending_.clear();
  pending_begin_ = 0;
}

}  // namespace io
