// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/remote_walk.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace engine {
namespace {

std::vector<base::Endpoint> taking_turns(const std::vector<base::Endpoint>& addresses) {
  std::vector<base::Endpoint> result, first, other;
  for (const base::Endpoint& address : addresses) {
    const bool same = address.address.family() == addresses.front().address.family();
    (same ? first : other).push_back(address);
  }
  for (std::size_t i = 0; i < std::max(first.size(), other.size()); ++i) {
    if (i < first.size()) result.push_back(first[i]);
    if (i < other.size()) result.push_back(other[i]);
  }
  return result;
}

}  // namespace

RemoteWalk::RemoteWalk(const config::LinkConfig& link)
    : remotes_(link.remotes),
      retry_seconds_(link.connect_retry_seconds),
      retry_max_seconds_(link.connect_retry_max_seconds),
      passes_max_(link.connect_retry_max),
      stays_with_heard_(link.persist_remote_ip),
      known_(link.remotes.size()) {}

void RemoteWalk::resolved(std::vector<base::Endpoint> addresses) {
  addresses_ = taking_turns(addresses);
  address_ = 0;
  if (index_ < known_.size()) known_[index_] = addresses_;
}

bool RemoteWalk::go_on(const std::string& host, const std::string& port,
                       std::vector<base::Endpoint> addresses) {
  const auto found = std::ranges::find_if(remotes_, [&](const config::RemoteConfig& each) {
    return each.host == host && each.port == port;
  });
  if (found == remotes_.end() || addresses.empty()) return false;
  index_ = static_cast<std::size_t>(found - remotes_.begin());
  resolved(std::move(addresses));
  return true;
}

bool RemoteWalk::fall_back() {
  if (index_ >= known_.size() || known_[index_].empty()) return false;
  addresses_ = known_[index_];
  address_ = 0;
  return true;
}

std::vector<base::Endpoint> RemoteWalk::targets() const {
  std::vector<base::Endpoint> result;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    const base::Endpoint& address = addresses_[(address_ + i) % addresses_.size()];
    if (!result.empty() && address.address.family() != result[0].address.family()) continue;
    result.push_back(address);
  }
  return result;
}

bool RemoteWalk::advance() {
  ++tries_;
  if (stays_with_heard_ && heard_) {
    ++passes_;
    return passes_max_ == 0 || passes_ < passes_max_;
  }
  if (address_ + 1 < addresses_.size()) {
    ++address_;
    return true;
  }
  next_remote();
  return passes_max_ == 0 || passes_ < passes_max_;
}

void RemoteWalk::skip_remote() {
  ++tries_;
  next_remote();
}

void RemoteWalk::next_remote() {
  addresses_.clear();
  address_ = 0;
  if (remotes_.empty()) return;
  index_ = (index_ + 1) % remotes_.size();
  if (index_ == 0) ++passes_;
}

void RemoteWalk::succeeded() {
  tries_ = passes_ = 0;
  heard_ = true;
}

base::Duration RemoteWalk::pause() const {
  const int rounds = tries_ / static_cast<int>(std::max<std::size_t>(remotes_.size(), 1));
  // Five quick rounds, then doubling up to the limit.
  const int doublings = std::clamp(rounds - 4, 0, 16);
  const std::int64_t seconds = std::int64_t{retry_seconds_} << doublings;
  return std::chrono::seconds(std::min<std::int64_t>(seconds, retry_max_seconds_));
}

}  // namespace engine
