// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "fastpath/hostnet/netlink.h"
#include "fastpath/hostnet/plan.h"

namespace hostnet {

// Why the kernel refused. `lasting`: trying again changes nothing until a person acts.
struct Refusal {
  base::Problem problem;
  bool lasting = false;
};

// Sets interface, addresses and routes, and keeps a journal of what the kernel will not remove by
// itself when the tunnel's device goes; the destructor undoes the journal, newest first. Used by
// one thread.
class HostNetwork {
 public:
  explicit HostNetwork(const base::Log& log) : log_(log) {}
  ~HostNetwork() { undo(); }
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  // MTU, queue, up, addresses. Stops at the first thing that does not work and says what is in the
  // way; what was done until then is undone by undo().
  [[nodiscard]] std::optional<Refusal> set_interface(const InterfacePlan& plan);
  // A route that cannot be set is a warning, as with stock OpenVPN; one that is there already is
  // left alone. Returns how many failed.
  int add_routes(const InterfacePlan& plan, const std::vector<RoutePlan>& routes);
  void delete_routes();  // those of the journal
  void undo();           // idempotent

  std::optional<Gateway> default_gateway(base::IpFamily family) {
    return netlink_.default_gateway(family);
  }

 private:
  struct SetAddress {
    std::string device;
    AddressPlan address;
  };
  struct SetRoute {
    RoutePlan route;
  };
  // Of a device that outlives us; each holds what was there before.
  struct SetUp {
    std::string device;
  };
  struct SetMtu {
    std::string device;
    int before = 0;
  };
  struct SetQueue {
    std::string device;
    int before = 0;
  };
  using Step = std::variant<SetAddress, SetRoute, SetUp, SetMtu, SetQueue>;

  std::optional<Refusal> set_link(const InterfacePlan& plan);
  std::optional<Refusal> set_addresses(const InterfacePlan& plan);
  int undo_step(const Step& step);
  static std::string describe(const Step& step);

  const base::Log& log_;
  Netlink netlink_;
  std::vector<Step> journal_;
};

}  // namespace hostnet
