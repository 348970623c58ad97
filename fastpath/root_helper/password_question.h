// SPDX-License-Identifier: Apache-2.0
// A question to whatever password agents of systemd run here (systemd-tty-ask-password-agent(1),
// the boot screen), by a file in a folder that they watch: https://systemd.io/PASSWORD_AGENTS/
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace root_helper {

struct PasswordQuestion {
  std::string id;    // who asks: letters, digits, '-'; also in the names of the files
  std::string text;  // printable, one line
  bool echo = false;
};

// The file's text. `socket`: where the answer goes.
std::string format_question(const PasswordQuestion& question, int process,
                            const std::string& socket);

// What a datagram of an agent says: "+" and the answer, with a NUL at its end or without. Nothing:
// the person does not want to say.
std::optional<std::string> answer_in(std::string_view datagram);

// Takes away the files of questions whose process was killed.
void remove_dead_questions(const std::string& folder);

// The files of one question, which go with it.
class OpenPasswordQuestion {
 public:
  // `folder`: /run/systemd/ask-password; made if it is not there. What a killed process of the same
  // id left is replaced.
  OpenPasswordQuestion(const std::string& folder, const PasswordQuestion& question);
  ~OpenPasswordQuestion();
  OpenPasswordQuestion(const OpenPasswordQuestion&) = delete;
  OpenPasswordQuestion& operator=(const OpenPasswordQuestion&) = delete;

  const std::string& problem() const { return problem_; }  // why nobody is asked, or nothing
  int fd() const { return socket_.get(); }                 // readable when an agent has answered
  // What root said, or a user's own process in tests; nothing: `more` says whether to go on
  // waiting.
  std::optional<std::string> take_answer(bool& more);

 private:
  bool wait_for_turn();
  std::string make_socket();
  std::string make_file(const PasswordQuestion& question);

  const std::string folder_, socket_path_, file_, lock_;
  std::string problem_;
  base::UniqueFd turn_, socket_;
};

}  // namespace root_helper
