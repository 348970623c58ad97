// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace host {

// What children print, a line at a time, so that it can be told whose line it is. Resource: a pipe.
// Used by one thread.
class LinePipe {
 public:
  using Take = std::function<void(std::string_view line)>;  // without its line break

  LinePipe();  // FatalError if there are no descriptors

  int writer() const { return writer_.get(); }  // for start_child; stays ours as well
  int reader() const { return reader_.get(); }  // to poll

  // Hands on each line that is whole by now; never blocks. A line longer than a log's is cut.
  void drain(const Take& take);
  void finish(const Take& take);  // the same, and then what has no line break

 private:
  base::UniqueFd reader_, writer_;
  std::string rest_;
};

}  // namespace host
