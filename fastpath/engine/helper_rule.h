// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "base/time.h"

namespace engine {

// When helpers join the data thread, and when they leave it again:
//
//   join    a port had more than a batch waiting kBusyReads times in a row, and the bytes of a
//           train take so long that handing it to another thread pays
//   leave   that was not seen for kQuiet
//
// Pure: times are handed in. Used by the data thread.
class HelperRule {
 public:
  // What handing a train over must be worth: waking a thread, and moving some hundred kilobytes
  // from one core's cache into another's and back.
  static constexpr base::Duration kWorthHandOver = std::chrono::microseconds(25);
  static constexpr std::size_t kBusyReads = 3;
  static constexpr base::Duration kQuiet = std::chrono::seconds(5);

  // What the bytes of a full train took on one thread. The least of the last few counts: a thread
  // that was interrupted took no longer for its work.
  void measured(base::Duration bytes_work);
  // A batch of way 0 or 1 was read; `more`: others wait behind it.
  void read(std::size_t way, base::TimePoint now, bool more);

  bool join() const;
  base::TimePoint leave_at() const { return last_busy_ + kQuiet; }
  bool leave(base::TimePoint now) const { return now >= leave_at(); }

 private:
  static constexpr std::size_t kMeasured = 4;

  bool worth() const;

  std::array<base::Duration, kMeasured> measured_{};
  std::size_t measurements_ = 0;
  std::array<std::size_t, 2> busy_reads_{};  // in a row, by way
  base::TimePoint last_busy_;
};

}  // namespace engine
