// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"

namespace engine {

// Which remote, and which of its addresses, is to be tried: every address of every `remote` in
// order, with OpenVPN's growing pauses between passes. A value; asks no clock and no resolver.
class RemoteWalk {
 public:
  // `link.remotes` in the order to be tried (already shuffled for remote-random).
  explicit RemoteWalk(const config::LinkConfig& link);

  bool empty() const { return remotes_.empty(); }
  const config::RemoteConfig& current() const { return remotes_[index_]; }
  bool needs_resolve() const { return addresses_.empty(); }
  // Of current(); at least one. The first one's family goes first, then the two take turns.
  void resolved(std::vector<base::Endpoint> addresses);
  // current() could not be resolved: its addresses of last time, if there are any.
  bool fall_back();
  // From the start: current() becomes the remote of that name and port, which resolved to
  // `addresses` before. False: there is none.
  bool go_on(const std::string& host, const std::string& port,
             std::vector<base::Endpoint> addresses);
  bool last_address() const { return address_ + 1 >= addresses_.size(); }
  // The address to send to first, then the remote's others of the same family, which are accepted
  // too.
  std::vector<base::Endpoint> targets() const;

  // To the next address, else to the next remote, which then needs resolving. False: connect-retry-
  // max passes are over without an answer. With persist-remote-ip an address that was heard once
  // is tried again and again instead.
  bool advance();
  void skip_remote();  // the current one could not be resolved
  void succeeded();    // the peer was heard
  // How long to wait before the next try (OpenVPN: restart back-off of a client).
  base::Duration pause() const;

 private:
  void next_remote();

  std::vector<config::RemoteConfig> remotes_;
  int retry_seconds_, retry_max_seconds_, passes_max_;
  bool stays_with_heard_;
  bool heard_ = false;  // from the current address
  std::size_t index_ = 0;
  std::vector<base::Endpoint> addresses_;
  std::vector<std::vector<base::Endpoint>> known_;  // of each remote, as resolved last
  std::size_t address_ = 0;
  int tries_ = 0;   // since the peer was last heard
  int passes_ = 0;  // over the whole list, likewise
};

}  // namespace engine
