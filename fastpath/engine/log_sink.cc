// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/log_sink.h"

#include <fcntl.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

#include "base/error.h"
#include "base/printable.h"
#include "base/unique_fd.h"
#include "fastpath/engine/mute.h"

namespace engine {
namespace {

bool under_journal() {
  return base::is_journal_stream(STDERR_FILENO, std::getenv("JOURNAL_STREAM"));
}

std::string timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S ", &local);
  return {text.data(), size};
}

base::Log::Sink stamped_sink(const config::ProcessConfig& process) {
  const bool stamp = !process.suppress_timestamps;
  return [stamp, write = base::fd_sink(STDERR_FILENO, false)](base::LogLevel level,
                                                              std::string_view line) {
    std::string text = stamp ? timestamp() : std::string();
    if (level == base::LogLevel::kError) text += "ERROR: ";
    if (level == base::LogLevel::kWarning) text += "WARNING: ";
    write(level, text.append(line));
  };
}

base::Log::Sink syslog_sink(const std::string& name) {
  // syslog(3) keeps the pointer.
  static std::string ident;
  ident = name.empty() ? "tunctl-fastpath" : name;
  ::openlog(ident.c_str(), LOG_PID, LOG_DAEMON);
  return [](base::LogLevel level, std::string_view line) {
    ::syslog(static_cast<int>(level), "%s", base::printable_line(line).c_str());
  };
}

// As stock OpenVPN: the file becomes stdout and stderr, also for the scripts.
void redirect_output(const config::ProcessConfig& process) {
  const int how = O_WRONLY | O_CREAT | O_CLOEXEC | (process.log_append ? O_APPEND : O_TRUNC);
  const base::UniqueFd file(::open(process.log_file.c_str(), how, 0600));
  if (!file) {
    throw base::FatalError(base::errno_text("cannot open log file " + process.log_file, errno), 78);
  }
  if (::dup2(file.get(), STDOUT_FILENO) < 0 || ::dup2(file.get(), STDERR_FILENO) < 0) {
    throw base::FatalError(base::errno_text("dup2", errno));
  }
}

base::Log::Sink sink_of(const config::ProcessConfig& process) {
  if (!process.log_file.empty()) return stamped_sink(process);
  if (process.log_syslog || process.daemon) return syslog_sink(process.daemon_name);
  if (under_journal()) return base::fd_sink(STDERR_FILENO, true);
  return stamped_sink(process);
}

// OpenVPN's scale to ours: 0 fatal errors only, 1 and 2 what an admin should see, 3 the usual
// narration, 4 and up for the curious.
base::LogLevel level_of(int verb) {
  if (verb == 0) return base::LogLevel::kError;
  if (verb <= 2) return base::LogLevel::kNotice;
  return verb == 3 ? base::LogLevel::kInfo : base::LogLevel::kDebug;
}

}  // namespace

base::Log make_log(const config::ProcessConfig& process) {
  if (!process.log_file.empty()) redirect_output(process);
  return base::Log(muted(sink_of(process), process.mute), level_of(process.verb));
}

base::Log early_log() { return base::Log(base::fd_sink(STDERR_FILENO, under_journal())); }

}  // namespace engine
