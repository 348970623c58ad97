// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/mute.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace engine {
namespace {

class Muted {
 public:
  Muted(base::Log::Sink to, int lines_max) : to_(std::move(to)), lines_max_(lines_max) {}

  void write(base::LogLevel level, std::string_view line) {
    const std::lock_guard lock(mutex_);
    const std::string_view kind = line.substr(0, line.find_first_of("0123456789"));
    if (level != level_ || kind != kind_) begin(level, kind);
    if (++lines_ <= lines_max_) to_(level, line);
  }

 private:
  void begin(base::LogLevel level, std::string_view kind) {
    if (lines_ > lines_max_) {
      to_(level_, std::to_string(lines_ - lines_max_) + " more of that kind are not shown (mute)");
    }
    level_ = level;
    kind_ = kind;
    lines_ = 0;
  }

  const base::Log::Sink to_;
  const int lines_max_;
  std::mutex mutex_;  // guards what follows
  base::LogLevel level_ = base::LogLevel::kDebug;
  std::string kind_;
  int lines_ = 0;
};

}  // namespace

base::Log::Sink muted(base::Log::Sink to, int lines_max) {
  if (lines_max <= 0) return to;
  return [muted = std::make_shared<Muted>(std::move(to), lines_max)](
             base::LogLevel level, std::string_view line) { muted->write(level, line); };
}

}  // namespace engine
