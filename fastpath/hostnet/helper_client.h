// SPDX-License-Identifier: Apache-2.0
// The engine's end of tunctl-helper(8)'s socket.
#pragma once

#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "fastpath/hostnet/child.h"
#include "fastpath/hostnet/helper_request.h"

namespace hostnet {

struct HelperAnswer {
  enum class Kind {
    kDone,
    kNot,          // it was asked, nothing is set, and `text` says why
    kUnreachable,  // nobody listens, or this user may not ask; `text` says which
    kUnclear,      // it went away while it was at it, or took too long
  };
  Kind kind = Kind::kUnclear;
  std::string text;  // one printable line, without a full stop
};

// One request, its answer, and some seconds at most in between. `meanwhile`: as for run_child().
HelperAnswer call_helper(const std::string& socket, const HelperRequest& request,
                         const WhileRunning& meanwhile);

// A question that stands open until an answer is taken or this ends. Never blocks.
class HelperQuestion {
 public:
  // Where nobody listens it is over at once.
  HelperQuestion(const std::string& socket, const AskPerson& question);

  int fd() const { return connection_.get(); }  // readable when take_answer() is to be called
  bool over() const { return !connection_; }
  // The caller wipes it. Nothing, and over(): nobody will answer here.
  std::optional<std::string> take_answer();

 private:
  base::UniqueFd connection_;
};

}  // namespace hostnet
