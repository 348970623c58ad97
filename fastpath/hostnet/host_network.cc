// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/host_network.h"

#include <cerrno>
#include <utility>

namespace hostnet {
namespace {

constexpr const char* kNeedsRight = "run as root or with CAP_NET_ADMIN";

Refusal refused(const std::string& what, int error) {
  const bool right = error == EPERM || error == EACCES;
  return {{{}, base::errno_text(what, error), right ? kNeedsRight : ""}, right};
}

std::string text_of(const AddressPlan& address) {
  std::string text = address.local.to_string();
  if (address.peer) text += " peer " + address.peer->to_string();
  return text;
}

std::string text_of(const RoutePlan& route) {
  std::string text = route.destination.to_string();
  if (route.gateway) text += " via " + route.gateway->to_string();
  if (!route.device.empty()) text += " dev " + route.device;
  return text;
}

}  // namespace

std::optional<Refusal> HostNetwork::set_interface(const InterfacePlan& plan) {
  if (auto refusal = set_link(plan)) return refusal;
  return set_addresses(plan);
}

// What is so already needs no right, and no undoing.
std::optional<Refusal> HostNetwork::set_link(const InterfacePlan& plan) {
  const std::string& device = plan.device;
  const LinkState before = netlink_.link_state(device).value_or(LinkState{});
  if (before.mtu != plan.mtu) {
    const int error = netlink_.set_mtu(device, plan.mtu);
    if (error != 0) {
      return refused("cannot set mtu " + std::to_string(plan.mtu) + " on " + device, error);
    }
    if (plan.existed) journal_.push_back(SetMtu{device, before.mtu});
  }
  if (plan.txqueuelen > 0 && before.txqueuelen != plan.txqueuelen) {
    const int error = netlink_.set_txqueuelen(device, plan.txqueuelen);
    if (error != 0) return refused("cannot set txqueuelen on " + device, error);
    if (plan.existed) journal_.push_back(SetQueue{device, before.txqueuelen});
  }
  if (before.up) return std::nullopt;
  if (const int error = netlink_.set_link_up(device, true); error != 0) {
    return refused("cannot set " + device + " up", error);
  }
  if (plan.existed) journal_.push_back(SetUp{device});
  return std::nullopt;
}

std::optional<Refusal> HostNetwork::set_addresses(const InterfacePlan& plan) {
  for (const AddressPlan& address : plan.addresses) {
    const int error = netlink_.add_address(plan.device, address);
    if (error == EEXIST && plan.existed) continue;  // set by whoever made the device: not ours
    if (error == EEXIST) {
      return Refusal{{{},
                      "address " + text_of(address) + " is already on " + plan.device,
                      "write another one with `ifconfig`"}};
    }
    if (error != 0) {
      return refused("cannot set address " + text_of(address) + " on " + plan.device, error);
    }
    log_.info("address " + text_of(address) + " on " + plan.device);
    if (plan.existed) journal_.push_back(SetAddress{plan.device, address});
  }
  return std::nullopt;
}

int HostNetwork::add_routes(const InterfacePlan& plan, const std::vector<RoutePlan>& routes) {
  int failed = 0;
  for (const RoutePlan& route : routes) {
    const int error = netlink_.add_route(route);
    if (error == EEXIST) {
      log_.warning("route " + text_of(route) + " is there already and stays as it is");
    } else if (error != 0) {
      ++failed;
      log_.warning(to_string(base::Problem{
          route.place, base::errno_text("cannot set route " + text_of(route), error), {}}));
    } else {
      log_.info("route " + text_of(route));
      // Routes out of a device that goes away go with it.
      if (plan.existed || route.device != plan.device) journal_.push_back(SetRoute{route});
    }
  }
  return failed;
}

void HostNetwork::delete_routes() {
  std::vector<Step> kept;
  for (auto it = journal_.rbegin(); it != journal_.rend(); ++it) {
    if (std::holds_alternative<SetRoute>(*it)) static_cast<void>(undo_step(*it));
  }
  for (Step& step : journal_) {
    if (!std::holds_alternative<SetRoute>(step)) kept.push_back(std::move(step));
  }
  journal_ = std::move(kept);
}

void HostNetwork::undo() {
  while (!journal_.empty()) {
    static_cast<void>(undo_step(journal_.back()));
    journal_.pop_back();
  }
}

int HostNetwork::undo_step(const Step& step) {
  int error = 0;
  if (const auto* set = std::get_if<SetAddress>(&step)) {
    error = netlink_.delete_address(set->device, set->address);
  } else if (const auto* route = std::get_if<SetRoute>(&step)) {
    error = netlink_.delete_route(route->route);
  } else if (const auto* up = std::get_if<SetUp>(&step)) {
    error = netlink_.set_link_up(up->device, false);
  } else if (const auto* mtu = std::get_if<SetMtu>(&step)) {
    error = netlink_.set_mtu(mtu->device, mtu->before);
  } else if (const auto* queue = std::get_if<SetQueue>(&step)) {
    error = netlink_.set_txqueuelen(queue->device, queue->before);
  }
  // ESRCH, ENODEV, EADDRNOTAVAIL: somebody else removed it first, which is what we wanted.
  const bool gone = error == ESRCH || error == ENODEV || error == EADDRNOTAVAIL;
  if (error != 0 && !gone) {
    log_.warning(base::errno_text("cannot undo " + describe(step), error));
  }
  return error;
}

std::string HostNetwork::describe(const Step& step) {
  if (const auto* set = std::get_if<SetAddress>(&step)) return "address " + text_of(set->address);
  if (const auto* route = std::get_if<SetRoute>(&step)) return "route " + text_of(route->route);
  if (const auto* mtu = std::get_if<SetMtu>(&step)) return "the mtu of " + mtu->device;
  if (const auto* queue = std::get_if<SetQueue>(&step)) return "txqueuelen of " + queue->device;
  return "the up state of " + std::get<SetUp>(step).device;
}

}  // namespace hostnet
