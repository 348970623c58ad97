// SPDX-License-Identifier: Apache-2.0
// Name servers of this machine: set by systemd-resolved where it runs, else by resolvconf, else in
// /etc/resolv.conf itself; and given back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.h"
#include "base/log.h"
#include "fastpath/hostnet/child.h"

namespace hostnet {

struct DnsServerPlan {
  base::IpAddress address;
  std::uint16_t port = 0;  // 0: 53

  friend bool operator==(const DnsServerPlan&, const DnsServerPlan&) = default;
};

struct DnsPlan {
  std::vector<DnsServerPlan> servers;
  std::vector<std::string> search;   // completed with these; asked of these servers too
  std::vector<std::string> routing;  // names below these are asked of these servers
  // Everything else too (true), nothing else (false), or as the resolver thinks best.
  std::optional<bool> all_names;

  bool empty() const { return servers.empty() && search.empty() && routing.empty(); }
  friend bool operator==(const DnsPlan&, const DnsPlan&) = default;
};

// Where things are; another place in tests.
struct DnsPlaces {
  std::string resolv_conf = "/etc/resolv.conf";
  std::string resolvconf = "/sbin/resolvconf";
  std::string bus;     // D-Bus address; empty: the system's
  std::string backup;  // a file for what was in resolv.conf, in the state folder; empty: that way
                       // is not gone, for a killed engine could not give it back
  std::string note;    // likewise, a file for what else was told to whom; empty: not noted
};

// The lines for resolvconf or resolv.conf; ports and routing have no words there.
std::string resolv_conf_text(const DnsPlan& plan);

// Used by one thread. Each call may wait for the resolver, some seconds at most.
class DnsSetup {
 public:
  DnsSetup(const base::Log& log, DnsPlaces places, WhileRunning meanwhile = {})
      : log_(log), places_(std::move(places)), meanwhile_(std::move(meanwhile)) {}
  ~DnsSetup() { undo(); }
  DnsSetup(const DnsSetup&) = delete;
  DnsSetup& operator=(const DnsSetup&) = delete;

  // Before anything else: gives back the resolv.conf that a killed engine had replaced, and what it
  // had told resolvconf or systemd-resolved. False: resolv.conf could not be, and the copy stays.
  bool undo_left_behind();
  // In place of what was set before. What cannot be done is one warning that says what is missing.
  // Without `whole_machine` only systemd-resolved is asked, which keeps each link's servers apart:
  // whoever runs a resolver of his own here does not want it replaced unasked.
  void set(const std::string& device, const DnsPlan& plan, bool whole_machine);
  void undo();  // idempotent

 private:
  enum class Way { kNone, kResolved, kResolvconf, kFile };

  bool try_resolved(const std::string& device, const DnsPlan& plan);
  bool try_resolvconf(const std::string& device, const DnsPlan& plan);
  void replace_file(const std::string& device, const DnsPlan& plan);
  void restore_file();
  void note_down(std::string_view way);
  void forget_note();
  void undo_noted();

  const base::Log& log_;
  const DnsPlaces places_;
  const WhileRunning meanwhile_;
  Way way_ = Way::kNone;
  std::string device_;
  std::string written_;  // into resolv.conf, by us
  DnsPlan plan_;
};

}  // namespace hostnet
