// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"

namespace base {

Log::Sink fd_sink(int fd, bool journal_prefixes) {
  return [fd, journal_prefixes](LogLevel level, std::string_view line) {
    std::string text;
    if (journal_prefixes) text = "<" + std::to_string(static_cast<int>(level)) + ">";
    text.append(printable_line(line));
    text.push_back('\n');
    // A reader that went away must not end a tunnel: a failed write is dropped on purpose.
    if (::write(fd, text.data(), text.size()) < 0) return;
  };
}

bool is_journal_stream(int fd, const char* journal_stream) {
  struct stat status {};
  if (journal_stream == nullptr || ::fstat(fd, &status) != 0) return false;
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino) == journal_stream;
}

}  // namespace base
