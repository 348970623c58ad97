// SPDX-License-Identifier: Apache-2.0
// Name servers of this machine: set by systemd-resolved where it runs, else by resolvconf, else in
// /etc/resolv.conf itself, or by tunctl-helper(8) where that takes root; and given back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "fastpath/hostnet/child.h"
#include "fastpath/hostnet/dns_plan.h"
#include "fastpath/hostnet/resolved.h"

namespace hostnet {

// Where things are; another place in tests.
struct DnsPlaces {
  std::string resolv_conf = "/etc/resolv.conf";
  std::string resolvconf = "/sbin/resolvconf";
  std::string bus;     // D-Bus address; empty: the system's
  std::string backup;  // a file for what was in resolv.conf, in the state folder; empty: that way
                       // is not gone, for a killed engine could not give it back
  std::string note;    // likewise, a file for what else was told to whom; empty: not noted
  std::string helper;  // socket of tunctl-helper(8), for whoever is not root; empty: not asked
  // There while systemd-resolved runs: a bus that does not let this user on cannot be asked that.
  std::string resolved_socket = "/run/systemd/resolve/io.systemd.Resolve";
};

// The lines for resolvconf or resolv.conf; ports and routing have no words there.
std::string resolv_conf_text(const DnsPlan& plan);

// A resolv.conf of ours, for `device`, with a first line by which it is known again.
std::string marked_resolv_conf(const std::string& device, const DnsPlan& plan);
// The device of one that is still as we wrote it; nothing: it is somebody else's.
std::optional<std::string> device_of_resolv_conf(std::string_view text);

// Used by one thread. Each call may wait for the resolver, some seconds at most.
class DnsSetup {
 public:
  DnsSetup(const base::Log& log, DnsPlaces places, WhileRunning meanwhile = {})
      : log_(log), places_(std::move(places)), meanwhile_(std::move(meanwhile)) {}
  ~DnsSetup() { undo(); }
  DnsSetup(const DnsSetup&) = delete;
  DnsSetup& operator=(const DnsSetup&) = delete;

  // Before anything else: gives back the resolv.conf that a killed engine had replaced, and what it
  // had told resolvconf, systemd-resolved or the helper. False: some could not be, and stays noted.
  // `device`, where it is known: another's resolv.conf on top of ours then gets what was below.
  bool undo_left_behind(const std::string& device = {});
  // Instead: what an earlier process set for `device` stands, as it noted, and was `plan`. The next
  // set() of the same changes nothing.
  void take_over(const std::string& device, const DnsPlan& plan);
  // In place of what was set before. What cannot be done is one warning that says what is missing.
  // Without `whole_machine` only systemd-resolved is asked, which keeps each link's servers apart:
  // whoever runs a resolver of his own here does not want it replaced unasked.
  void set(const std::string& device, const DnsPlan& plan, bool whole_machine);
  void undo();  // idempotent
  bool is_set() const { return way_ != Way::kNone; }
  void leave() { way_ = Way::kNone; }  // as it is, for a later undo_left_behind() or take_over()

 private:
  enum class Way { kNone, kResolved, kResolvconf, kFile, kHelper };

  ResolvedAnswer try_resolved(const std::string& device, const DnsPlan& plan, std::string& reason);
  void ask_helper(const std::string& device, const DnsPlan& plan, bool whole_machine);
  bool try_resolvconf(const std::string& device, const DnsPlan& plan);
  void replace_file(const std::string& device, const DnsPlan& plan);
  void restore_file();
  bool hand_on(const std::string& old);
  bool undo_by_helper();
  void note_down(std::string_view way);
  void forget_note();
  bool read_note();
  bool undo_noted(const std::string& how);

  const base::Log& log_;
  const DnsPlaces places_;
  const WhileRunning meanwhile_;
  Way way_ = Way::kNone;
  std::string device_;
  DnsPlan plan_;
};

}  // namespace hostnet
