// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/remote_walk.h"
#include "fastpath/engine/resolver.h"
#include "fastpath/engine/steps.h"

namespace engine {

// How a peer is found: which remote, what its name resolves to, what is done if it does not, and
// when to give up. Events in, steps out; asks no clock and no resolver.
class Connecting {
 public:
  // `link.remotes` in the order to be tried. `inside`: the tunnel's own addresses, as written; a
  // remote that turns out to be one of them is not used (ovpn/tunnel_addresses.h).
  explicit Connecting(const config::LinkConfig& link, std::vector<std::string> inside = {});

  bool waits() const { return walk_.empty(); }  // no remote: whoever comes is the peer
  config::Transport transport() const;
  bool is_called() const {  // and has no pauses of its own
    return waits() || transport() == config::Transport::kTcpServer;
  }
  const config::RemoteConfig& remote() const { return walk_.current(); }  // unless it waits()
  // How long a TCP connection to the address in use may take.
  base::Duration connect_patience() const;

  // Before begin(): where another run was. Nothing happens if there is no such remote.
  void go_on(const std::string& host, const std::string& port,
             std::vector<base::Endpoint> addresses) {
    static_cast<void>(walk_.go_on(host, port, std::move(addresses)));
  }
  Steps begin();  // towards the current remote
  Steps resolved(Resolved answer, base::TimePoint now);
  // No TCP connection came to be with `target`.
  Steps stream_failed(const std::optional<base::Endpoint>& target, const std::string& why);
  // A connection is over, and another is to be made. Empty, unless there were enough tries.
  Steps lost(const RestartWay& way);
  void heard() { walk_.succeeded(); }
  // Where routes lead into the tunnel itself they no longer tell what this host can reach.
  bool behind_nat64() const { return nat64_.has_value(); }
  step::Wake pause(int seconds_min) const;  // before the next try

 private:
  void leave_out_what_is_inside(Resolved& answer) const;
  Steps unresolved(const std::string& problem, base::TimePoint now);
  Steps use(std::vector<base::Endpoint> addresses);
  Steps translated(const Resolved& prefix);

  RemoteWalk walk_;
  const std::vector<std::string> inside_;
  const config::Transport transport_;  // without a remote
  const int resolv_retry_seconds_;
  std::optional<base::TimePoint> unresolved_since_;
  // IPv4 addresses out of reach, while the NAT64 of the network is asked for; and that NAT64.
  std::vector<base::Endpoint> to_translate_;
  std::optional<base::Prefix> nat64_;
  std::string no_nat64_;  // why the addresses in use are out of reach; empty: they are not
};

}  // namespace engine
