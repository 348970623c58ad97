// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/push_dialogue.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace control {

using std::chrono::seconds;

void PushDialogue::remember(std::vector<std::string> options) {
  remembered_ = std::move(options);
  std::erase_if(remembered_,
                [](const std::string& option) { return option.starts_with("auth-token"); });
}

void PushDialogue::begin(base::TimePoint now) {
  begun_ = true;
  began_ = now;
  next_request_ = now + kFirstPushRequestDelay;
  deadline_ = now + seconds(times_.hand_window_seconds);
}

void PushDialogue::request_sent(base::TimePoint now) { next_request_ = now + kPushRequestInterval; }

void PushDialogue::extend(std::optional<int> timeout_seconds) {
  const int limit = std::max(times_.reneg_seconds / 2, times_.hand_window_seconds);
  const int wanted = timeout_seconds.value_or(times_.hand_window_seconds);
  remembered_.clear();  // it speaks
  deadline_ = std::max(deadline_, began_ + seconds(std::min(wanted, limit)));
}

std::optional<base::TimePoint> PushDialogue::next_timeout() const {
  if (!asking()) return std::nullopt;
  const base::TimePoint next = std::min(next_request_, deadline_);
  return remembered_.empty() ? next : std::min(next, began_ + kRememberedPushDelay);
}

PushDialogue::Outcome PushDialogue::take(std::string_view rest) {
  remembered_.clear();
  bytes_ += rest.size();
  if (++messages_ > kPushMessagesMax || bytes_ > kPushOptionsBytesMax) return Outcome::kTooMuch;
  bool more = false;
  if (!rest.empty()) {
    for (const std::string_view option : base::split(rest, ',')) {
      if (take_option(option, more) == Outcome::kRejected) return Outcome::kRejected;
    }
  }
  return more ? Outcome::kMore : Outcome::kComplete;
}

PushDialogue::Outcome PushDialogue::take_option(std::string_view option, bool& more) {
  const std::string_view text = base::trim(option);
  if (text.empty()) return Outcome::kMore;
  if (text.starts_with("push-continuation ")) {
    more = base::trim(text.substr(text.find(' '))) == "2";
    return Outcome::kMore;
  }
  switch (filter(text)) {
    case config::PullFilter::Action::kAccept:
      options_.emplace_back(text);
      break;
    case config::PullFilter::Action::kIgnore:
      break;
    case config::PullFilter::Action::kReject:
      rejected_ = text;
      return Outcome::kRejected;
  }
  return Outcome::kMore;
}

config::PullFilter::Action PushDialogue::filter(std::string_view option) const {
  for (const config::PullFilter& each : pull_.filters) {
    if (option.starts_with(each.prefix)) return each.action;
  }
  return config::PullFilter::Action::kAccept;
}

std::vector<std::string> PushDialogue::take_options() {
  messages_ = bytes_ = 0;
  return std::exchange(options_, {});
}

}  // namespace control
