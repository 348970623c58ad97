// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/clock_wait.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

namespace engine {

using base::LogLevel;
using std::chrono::seconds;

namespace {

constexpr base::Duration kLookAgain = seconds(1);

std::string date_of(base::UnixSeconds time) {
  const std::chrono::sys_seconds at{seconds(time)};
  const auto midnight = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::hh_mm_ss clock(at - midnight);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count());
}

// "2026-12-01".
constexpr int number_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (const char digit : text.substr(at, digits)) value = 10 * value + (digit - '0');
  return value;
}
constexpr std::string_view kReleaseDate = TUNCTL_RELEASE_DATE;
static_assert(kReleaseDate.size() == 10);

}  // namespace

base::UnixSeconds release_time() {
  const std::chrono::year_month_day date(
      std::chrono::year(number_at(kReleaseDate, 0, 4)),
      std::chrono::month(static_cast<unsigned>(number_at(kReleaseDate, 5, 2))),
      std::chrono::day(static_cast<unsigned>(number_at(kReleaseDate, 8, 2))));
  return seconds(std::chrono::sys_days(date).time_since_epoch()).count();
}

std::string ClockWait::what_is_wrong(const Facts& facts) const {
  const std::string says = "the clock here says " + date_of(facts.now);
  if (facts.valid_from && facts.now < *facts.valid_from) {
    return says + ", and this end's own certificates are valid only from " +
           date_of(*facts.valid_from) + " on";
  }
  // Where they are known to be valid it is worth a try: a time server may be behind the tunnel.
  if (!facts.valid_from && facts.now < released_) {
    return says + ", which is before this program was made";
  }
  return "";
}

bool ClockWait::must_wait(const Facts& facts, base::TimePoint now, Steps& steps) {
  if (limit_seconds_ == 0 || given_up_) return false;
  const std::string wrong = what_is_wrong(facts);
  if (wrong.empty()) {
    if (waiting_since_) {
      steps.push_back(
          step::Say{LogLevel::kNotice, "the clock is set: it says " + date_of(facts.now)});
      steps.push_back(step::TellReason{});
    }
    waiting_since_.reset();
    return false;
  }
  if (!waiting_since_) {
    waiting_since_ = now;
    const std::string why =
        wrong + fmt::format("; waiting up to {} s for it to be set (clock-wait)", limit_seconds_);
    steps.push_back(step::Say{LogLevel::kWarning, why});
    steps.push_back(step::TellReason{why});
    steps.push_back(step::TellState{});
  }
  if (now - *waiting_since_ >= seconds(limit_seconds_)) {
    given_up_ = true;
    waiting_since_.reset();
    const std::string why =
        wrong + "; nobody has set it (clock-wait), and it is tried all the same";
    steps.push_back(step::Say{LogLevel::kWarning, why});
    steps.push_back(step::TellReason{why});
    return false;
  }
  steps.push_back(step::Wake{Timer::kClock, kLookAgain});
  return true;
}

}  // namespace engine
