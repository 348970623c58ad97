// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "fastpath/io/event_loop.h"
#include "fastpath/io/tcp_port.h"
#include "fastpath/io/tcp_socket.h"

namespace engine {

// A TCP connection in the making, of which there is one at most: calls, or lets itself be called.
// Never waits: the main loop reports `tag` when advance() has something to do. Used by the main
// thread.
class StreamOpener {
 public:
  using Outcome = base::Result<std::unique_ptr<io::TcpPort>>;

  StreamOpener(io::EventLoop& loop, std::uint32_t tag, const base::Log& log)
      : loop_(loop), tag_(tag), log_(log) {}
  ~StreamOpener() { stop(); }
  StreamOpener(const StreamOpener&) = delete;
  StreamOpener& operator=(const StreamOpener&) = delete;

  // Begins to call `to`. A problem: it failed at once.
  std::optional<base::Problem> call(const io::TcpSettings& settings, const base::Endpoint& to);
  // Lets callers in, from these addresses only unless there are none. Throws base::FatalError with
  // what is in the way. The port stays bound until another one is asked for.
  void listen(const io::TcpSettings& settings, std::vector<base::Endpoint> only_from);
  // Nothing: not there yet.
  std::optional<Outcome> advance();
  void stop();  // nobody is called any more, and callers are refused

 private:
  std::optional<Outcome> advance_call();
  std::optional<Outcome> take_caller();
  bool welcome(const base::Endpoint& caller) const;

  io::EventLoop& loop_;
  const std::uint32_t tag_;
  const base::Log& log_;
  std::optional<io::TcpListener> listener_;
  bool listening_ = false;
  std::vector<base::Endpoint> only_from_;
  base::UniqueFd calling_;
  base::Endpoint called_;
};

}  // namespace engine
