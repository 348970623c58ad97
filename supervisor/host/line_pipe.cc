// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/line_pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace host {
namespace {

constexpr std::size_t kLineBytesMax = 8192;

}  // namespace

LinePipe::LinePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw base::FatalError(base::errno_text("pipe", errno));
  reader_.reset(ends[0]);
  writer_.reset(ends[1]);
  // Ours only: a child that finds its output full has to wait, not to lose its words.
  ::fcntl(reader_.get(), F_SETFL, O_NONBLOCK);
}

void LinePipe::drain(const Take& take) {
  char bytes[4096];
  for (;;) {
    const ssize_t got = ::read(reader_.get(), bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    rest_.append(bytes, static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
      take(std::string_view(rest_).substr(begin, end - begin));
      begin = end + 1;
    }
    rest_.erase(0, begin);
    if (rest_.size() < kLineBytesMax) continue;
    take(rest_);
    rest_.clear();
  }
}

void LinePipe::finish(const Take& take) {
  drain(take);
  if (!rest_.empty()) take(rest_);
  rest_.clear();
}

}  // namespace host
