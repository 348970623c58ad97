// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "fastpath/hostnet/journal.h"
#include "fastpath/hostnet/netlink.h"
#include "fastpath/hostnet/plan.h"

namespace hostnet {

// Why the kernel refused. `lasting`: trying again changes nothing until a person acts.
struct Refusal {
  base::Problem problem;
  bool lasting = false;
};

// Sets interface, addresses and routes, changes them while they are in use, and undoes in the end
// what the kernel will not remove by itself when the tunnel's device goes, newest first. That much
// is also kept in a file, before it is done where that is safe, so that the start after a kill -9
// can undo it. Used by one thread.
class HostNetwork {
 public:
  // `journal_file`: see JournalFile; in a folder that survives the process, not the site.
  explicit HostNetwork(const base::Log& log, const std::string& journal_file = {})
      : log_(log), journal_(journal_file) {}
  ~HostNetwork() { undo(); }
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  // Before anything else: undoes what a killed engine with this journal left behind. False: some of
  // it could not be, which has been logged and stays in the journal until something else is set.
  bool undo_left_behind();

  // Instead: goes on with what an earlier process set on a device that is still there, as its
  // standing() told. What is missing of it is set again; nothing is removed.
  void take_over(const InterfacePlan& plan, const Steps& standing);
  Steps standing() const;  // everything set by us, as of now
  void leave();            // to whoever takes it over: nothing is undone, the journal stays

  // MTU, queue, up, addresses. Stops at the first thing that does not work and says what is in the
  // way; what was done until then is undone by undo().
  [[nodiscard]] std::optional<Refusal> set_interface(const InterfacePlan& plan);
  // A route that cannot be set is a warning, as with stock OpenVPN; one that is there already is
  // left alone. Returns how many failed.
  int add_routes(const InterfacePlan& plan, const std::vector<RoutePlan>& routes);
  // From what is set to `plan` and `routes`, on a device in use: what comes is set before what goes
  // is removed, what leads elsewhere is replaced in one step, and what stays is not touched.
  [[nodiscard]] std::optional<Refusal> change(const InterfacePlan& plan,
                                              const std::vector<RoutePlan>& routes);
  // Of the routes asked for last, what is not in force because another device has it: "route
  // 0.0.0.0/1 leads to tun1 already, and 1 more"; empty: nothing.
  std::string held_by_others() const;
  void delete_routes();  // those that would stay without us
  void undo();           // idempotent

  std::optional<Gateway> default_gateway(base::IpFamily family) {
    return netlink_.default_gateway(family);
  }
  // How `destination` is reached without `tunnel`, whose routes may stand already.
  std::optional<Hop> hop_to(const base::IpAddress& destination, const std::string& tunnel);
  std::vector<base::Prefix> networks_on(const std::string& device) {
    return netlink_.networks_on(device);
  }

 private:
  std::optional<Refusal> set_link(const InterfacePlan& plan);
  int do_link_step(Step undone_by, const std::function<int()>& step);
  void announce(const std::vector<RoutePlan>& routes);
  std::optional<Refusal> add_address(const InterfacePlan& plan, const AddressPlan& address);
  bool add_route(const RoutePlan& route);
  bool replace_route(const RoutePlan& route);
  bool removed_old_addresses(const InterfacePlan& plan);
  void remove_old_routes(const std::vector<RoutePlan>& routes);
  std::optional<Refusal> without_ipv6(const InterfacePlan& plan, const AddressPlan& address,
                                      int error);
  void note_holder(const RoutePlan& route);
  bool told(const RoutePlan& route, int error, const std::string& done);

  bool lasting(const RoutePlan& route) const {
    return plan_.existed || route.device != plan_.device || route.unreachable;
  }
  Steps lasting_steps() const;
  void save();
  bool undo_step(const Step& step);  // false: it is still there

  const base::Log& log_;
  JournalFile journal_;
  Netlink netlink_;
  InterfacePlan plan_;                  // as last set
  Steps link_steps_;                    // on a device that was there
  std::vector<AddressPlan> addresses_;  // set by us
  std::vector<RoutePlan> routes_;       // set by us
  std::vector<RoutePlan> coming_;       // about to be, for the journal
  bool ipv6_off_ = false;               // on the device, as the kernel answered
  std::vector<std::string> held_;       // "route 0.0.0.0/1 leads to tun1 already"
};

}  // namespace hostnet
