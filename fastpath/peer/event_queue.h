// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace peer {

enum class PeerEvent;

// Events in order, each kind at most once at a time, so that a fixed room is always enough.
class EventQueue {
 public:
  void push(PeerEvent event) {
    const auto end = events_.begin() + static_cast<std::ptrdiff_t>(used_);
    if (used_ == events_.size() || std::find(events_.begin(), end, event) != end) return;
    events_[used_++] = event;
  }
  std::optional<PeerEvent> pop() {
    if (used_ == 0) return std::nullopt;
    const PeerEvent first = events_[0];
    std::copy(events_.begin() + 1, events_.begin() + static_cast<std::ptrdiff_t>(used_),
              events_.begin());
    --used_;
    return first;
  }

 private:
  std::array<PeerEvent, 8> events_{};
  std::size_t used_ = 0;
};

}  // namespace peer
