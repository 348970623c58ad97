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
#include "fastpath/proxy/dialogue.h"

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

  // Begins to call `to`; with `dialogue` that is a proxy, which is talked to first. A problem: it
  // failed at once.
  std::optional<base::Problem> call(const io::TcpSettings& settings, const base::Endpoint& to,
                                    std::unique_ptr<proxy::Dialogue> dialogue = nullptr);
  // Lets callers in, from these addresses only unless there are none. Throws base::FatalError with
  // what is in the way. The port stays bound until another one is asked for.
  void listen(const io::TcpSettings& settings, std::vector<base::Endpoint> only_from);
  // Nothing: not there yet.
  std::optional<Outcome> advance();
  void stop();  // nobody is called any more, and callers are refused

 private:
  std::optional<base::Problem> begin_call();
  std::optional<Outcome> advance_call();
  std::optional<Outcome> talk();
  std::optional<Outcome> take_answer();
  bool send_words();  // false: the connection is over
  Outcome hand_over(base::ByteSpan early);
  Outcome fail(const std::string& why);
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
  io::TcpSettings settings_;
  std::unique_ptr<proxy::Dialogue> dialogue_;
  bool talking_ = false;  // connected to the proxy
  base::Bytes words_;     // still to be said to it
};

}  // namespace engine
