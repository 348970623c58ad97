// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/control/limits.h"

namespace control {

// A client's talk with the server about options (OpenVPN protocol: PUSH_REQUEST and PUSH_REPLY):
// when to ask, how long, and the parts of an answer put together. Used by one thread.
class PushDialogue {
 public:
  enum class Outcome {
    kMore,      // the answer goes on in another message
    kComplete,  // options() holds it, filtered
    kRejected,  // pull-filter reject; rejected() names the option
    kTooMuch,
  };

  PushDialogue(const config::PullConfig& pull, const config::RenegotiationConfig& times)
      : pull_(pull), times_(times) {}

  // What the server said to an earlier session from the same address. A token of then is no use.
  void remember(std::vector<std::string> options);
  void begin(base::TimePoint now);  // the keys were exchanged
  bool asking() const { return begun_ && !answered_; }
  bool request_due(base::TimePoint now) const { return asking() && now >= next_request_; }
  void request_sent(base::TimePoint now);
  bool given_up(base::TimePoint now) const { return asking() && now >= deadline_; }
  void extend(std::optional<int> timeout_seconds);  // AUTH_PENDING
  // It says nothing, but said something before: take_options() has that after take_remembered().
  bool silent(base::TimePoint now) const {
    return asking() && !remembered_.empty() && now >= began_ + kRememberedPushDelay;
  }
  void take_remembered() { options_ = std::exchange(remembered_, {}); }
  std::optional<base::TimePoint> next_timeout() const;

  // `rest`: what follows "PUSH_REPLY,". Also takes a later PUSH_UPDATE.
  Outcome take(std::string_view rest);
  void answered() { answered_ = true; }
  std::vector<std::string> take_options();
  const std::vector<std::string>& options() const { return options_; }
  const std::string& rejected() const { return rejected_; }

 private:
  Outcome take_option(std::string_view option, bool& more);
  config::PullFilter::Action filter(std::string_view option) const;

  const config::PullConfig& pull_;
  const config::RenegotiationConfig& times_;
  bool begun_ = false, answered_ = false;
  base::TimePoint began_, next_request_, deadline_;
  std::vector<std::string> options_, remembered_;
  std::size_t messages_ = 0, bytes_ = 0;
  std::string rejected_;
};

}  // namespace control
