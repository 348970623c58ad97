// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/helper_rule.h"

#include <algorithm>

namespace engine {

void HelperRule::measured(base::Duration bytes_work) {
  measured_[measurements_++ % kMeasured] = bytes_work;
}

bool HelperRule::worth() const {
  return measurements_ >= kMeasured && std::ranges::min(measured_) >= kWorthHandOver;
}

void HelperRule::read(std::size_t way, base::TimePoint now, bool more) {
  busy_reads_[way] = more ? busy_reads_[way] + 1 : 0;
  if (join()) last_busy_ = now;
}

bool HelperRule::join() const { return worth() && std::ranges::max(busy_reads_) >= kBusyReads; }

}  // namespace engine
