// SPDX-License-Identifier: Apache-2.0
// TCP sockets before they carry packets: calling and being called, without ever waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/ip.h"
#include "base/unique_fd.h"
#include "fastpath/io/bound_socket.h"
#include "fastpath/io/packet_port.h"

namespace io {

// What a socket is asked to be. Buffers that are left to the kernel grow with the connection.
using TcpSettings = SocketWishes;

// A socket that has begun to connect to `to`. Once it is writable, connect_problem() tells how that
// went. Small packets leave at once (TCP_NODELAY), as in OpenVPN 2.7.
base::Result<base::UniqueFd, OpenProblem> begin_connect(const TcpSettings& settings,
                                                        const base::Endpoint& to);
// Sizes in bytes; 0 leaves one as it is. While a worker runs, too.
void set_stream_buffers(int fd, int sndbuf_bytes, int rcvbuf_bytes);
// Empty: connected, or under way still. Otherwise the kernel's word for what went wrong.
std::string connect_problem(int fd);
bool is_connected(int fd);

// Takes callers on one address, one at a time. Used by the main thread.
class TcpListener {
 public:
  struct Caller {
    base::UniqueFd socket;
    base::Endpoint from;
  };

  // Binds, and does not listen yet. The problem says what is in the way: port taken, address not
  // here, no permission.
  static base::Result<TcpListener, OpenProblem> open(const TcpSettings& settings);

  int fd() const { return fd_.get(); }
  std::uint16_t local_port() const;
  // After listen() callers are let in; after rest() they are refused, and the port stays ours:
  // rights that it took may be given up in between. The string is the problem, empty if none.
  std::string listen();
  void rest();
  // One who has called; nothing if nobody is there.
  std::optional<Caller> accept();

 private:
  explicit TcpListener(base::UniqueFd fd) : fd_(std::move(fd)) {}
  base::UniqueFd fd_;
};

}  // namespace io
