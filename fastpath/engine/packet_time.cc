// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/packet_time.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace engine {
namespace {

// The wire has 32 bits for it: past the last one the peer would see time zero, and stay deaf.
constexpr base::UnixSeconds kTimeMax = 0xffffffff;

}  // namespace

void PacketTime::keep_also(std::function<void(base::UnixSeconds)> elsewhere,
                           base::UnixSeconds last) {
  elsewhere_ = std::move(elsewhere);
  if (last < kTimeMax) last_ = std::max(last_, last);
}

base::UnixSeconds PacketTime::claim(base::UnixSeconds now) {
  last_ = std::max(now, std::max(last_, read()) + 1);
  write();
  return last_;
}

void PacketTime::keep(base::UnixSeconds wanted) {
  if (wanted <= last_) return;
  last_ = wanted;
  write();
}

base::UnixSeconds PacketTime::read() const {
  if (file_.empty()) return 0;
  const auto bytes = base::read_file(file_, 64);
  if (!bytes) return 0;
  const auto last = base::parse_number<base::UnixSeconds>(base::trim(*bytes));
  if (last && *last >= 0 && *last < kTimeMax) return *last;
  log_.warning(file_ +
               " is damaged and not used; if this machine's clock has stepped back, the peer drops "
               "our packets until it has caught up");
  return 0;
}

void PacketTime::write() {
  if (elsewhere_) elsewhere_(last_);
  std::string failure = "no place to keep the last packet time";
  if (!file_.empty()) {
    failure = base::write_file_atomically(file_, std::to_string(last_) + "\n", 0600);
  }
  if (failure.empty() || warned_) return;
  warned_ = true;
  log_.warning(failure +
               "; if this machine's clock ever steps back, the peer drops our packets "
               "until it is past " +
               std::to_string(last_) + " (give --state-dir)");
}

}  // namespace engine
