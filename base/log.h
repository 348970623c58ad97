// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

// syslog's severities that we use; the number is the journal's priority (sd-daemon(3)).
enum class LogLevel { kError = 3, kWarning = 4, kNotice = 5, kInfo = 6, kDebug = 7 };

// Where log lines go. Handed to whoever logs; there is no global logger. Any thread may call it
// if the sink it was made with allows that (the two below do).
class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;

  explicit Log(Sink sink, LogLevel most_verbose = LogLevel::kInfo)
      : sink_(std::move(sink)), most_verbose_(most_verbose) {}

  bool enabled(LogLevel level) const { return level <= most_verbose_; }
  void operator()(LogLevel level, std::string_view line) const {
    if (enabled(level)) sink_(level, line);
  }
  void error(std::string_view line) const { (*this)(LogLevel::kError, line); }
  void warning(std::string_view line) const { (*this)(LogLevel::kWarning, line); }
  void notice(std::string_view line) const { (*this)(LogLevel::kNotice, line); }
  void info(std::string_view line) const { (*this)(LogLevel::kInfo, line); }
  void debug(std::string_view line) const { (*this)(LogLevel::kDebug, line); }

 private:
  Sink sink_;
  LogLevel most_verbose_;
};

// One write(2) per line to `fd`, each made printable (base/printable.h). With `journal_prefixes`
// each line starts with "<3>" and so on, which journald turns into priorities (sd-daemon(3)).
Log::Sink fd_sink(int fd, bool journal_prefixes);

// True if `fd` is the journal's stream that systemd names in JOURNAL_STREAM ("device:inode").
bool is_journal_stream(int fd, const char* journal_stream);

}  // namespace base
