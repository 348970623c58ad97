// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "fastpath/io/frame_buffer.h"
#include "fastpath/io/packet_port.h"
#include "fastpath/io/tcp_socket.h"

namespace io {

// Packets over one TCP connection. What the kernel does not take at once waits in here, and the
// port is backed up meanwhile. Over TCP the peer takes packet ids without gaps only, so a packet
// that was given to write() is never left out: if it cannot be kept, the connection ends. Used by
// one worker once made.
class TcpPort : public PacketPort {
 public:
  // `socket`: connected and non-blocking. `peer`: whom packets come from. `early`: what was read
  // from the socket already.
  TcpPort(base::UniqueFd socket, const base::Endpoint& peer, base::ByteSpan early = {});

  const base::Endpoint& peer() const { return peer_; }
  void set_buffers(int sndbuf_bytes, int rcvbuf_bytes) const {  // see set_stream_buffers()
    set_stream_buffers(socket_.get(), sndbuf_bytes, rcvbuf_bytes);
  }
  // Why read() said kGone; empty before. For another thread only after the worker has ended.
  const std::string& ending() const { return ending_; }

  int readable_fd() const override { return socket_.get(); }
  ReadOutcome read(packet::PacketBatch& batch) override;
  void write(packet::PacketBatch& batch) override;
  bool backed_up() const override { return pending_begin_ < pending_.size(); }
  void flush() override;
  const packet::DropCounters& drops() const override { return drops_; }

 private:
  // What pings and the like may add while a batch waits. A peer that takes nothing for so long that
  // this fills up is gone.
  static constexpr std::size_t kPendingExtraBytes = std::size_t{64} << 10;

  enum class Received { kSome, kAll, kNothing, kEnd };
  Received receive();
  bool put_length(packet::Packet& packet);
  void use_tos(std::uint8_t tos);
  void send_pieces();
  void keep_pieces(std::size_t from, std::size_t sent);
  void append_pending(base::ByteSpan bytes);
  void end(std::string why);

  const base::UniqueFd socket_;
  const base::Endpoint peer_;
  packet::DropCounters drops_{};
  std::string ending_;
  FrameBuffer input_;
  std::uint8_t tos_ = 0;               // the socket's type of service
  std::vector<iovec> pieces_;          // of the batch being written
  std::vector<std::uint8_t> pending_;  // accepted, and not yet taken by the kernel
  std::size_t pending_begin_ = 0;
  std::size_t pending_max_ = 0;  // of this backlog
};

}  // namespace io
