// SPDX-License-Identifier: Apache-2.0
// How a service asks a person: a socket of its own at a path, to which a program that has a
// terminal connects.
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"

namespace io {

// Whoever connects (root, or this process's user; SOCK_SEQPACKET) is sent one packet, "KIND TEXT"
// of the question or nothing if there is none, and may send one back, the answer; that is answered
// by "ok", or by "late" where the question has changed meanwhile. Used by one thread, never blocks.
class AskSocket {
 public:
  // Makes the socket, in place of one that a dead process left. `path` empty: none; then, and where
  // problem() says why it could not be made, nobody can be asked.
  explicit AskSocket(std::string path);
  ~AskSocket();
  AskSocket(const AskSocket&) = delete;
  AskSocket& operator=(const AskSocket&) = delete;

  bool open() const { return static_cast<bool>(listener_); }
  const std::string& problem() const { return problem_; }
  // Readable when take_answer() should be called; -1 if there is no socket.
  int fd() const { return ready_.get(); }

  // "KIND TEXT"; empty: nothing is asked any more.
  void ask(std::string question);
  // An answer to what is asked, which then is asked no more. The caller wipes it.
  std::optional<std::string> take_answer();

 private:
  void accept_one();
  std::optional<std::string> read_answer();
  std::string make();

  const std::string path_;
  std::string problem_;
  base::UniqueFd ready_;  // an epoll of the two
  base::UniqueFd listener_, caller_;
  std::string question_;
  std::string told_;  // to the caller
};

}  // namespace io
