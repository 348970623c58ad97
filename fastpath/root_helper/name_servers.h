// SPDX-License-Identifier: Apache-2.0
// The machine's name servers on behalf of engines, from one run of the helper to the next: what has
// to be given back stands in a folder that outlives runs and boots.
#pragma once

#include <set>
#include <string>

#include "base/log.h"
#include "base/unique_fd.h"
#include "fastpath/hostnet/dns.h"
#include "fastpath/hostnet/helper_request.h"

namespace root_helper {

// The interfaces for which something is noted in that folder.
std::set<std::string> noted_devices(const std::string& folder);

// One process at a time: the constructor waits for its turn, some seconds at most.
class NameServers {
 public:
  // `places`: all but copy and note, which lie in `folder`, one of each for an interface.
  NameServers(const base::Log& log, std::string folder, hostnet::DnsPlaces places);

  // Why it cannot be used, or nothing.
  const std::string& problem() const { return problem_; }
  // Both log what cannot be done. True: it is done.
  bool set(const hostnet::SetNameServers& wanted);
  bool undo(const std::string& device);
  void undo_all();

 private:
  hostnet::DnsPlaces places_for(const std::string& device) const;

  const base::Log& log_;
  const std::string folder_;
  const hostnet::DnsPlaces places_;
  base::UniqueFd turn_;
  std::string problem_;
};

}  // namespace root_helper
