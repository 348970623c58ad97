// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/host_network.h"

#include <algorithm>
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

std::string text_of(const RoutePlan& route) { return to_string(Step(SetRoute{route})); }

template <typename T>
bool holds(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

const RoutePlan* at_same_place(const std::vector<RoutePlan>& list, const RoutePlan& route) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const RoutePlan& other) { return same_place(other, route); });
  return found == list.end() ? nullptr : &*found;
}

// What the kernel answers to an IPv6 address by sysctl disable_ipv6, or without IPv6 at all.
// Without the right it says EPERM.
bool means_no_ipv6(const AddressPlan& address, int error) {
  return !address.local.address.is_v4() &&
         (error == EACCES || error == EAFNOSUPPORT || error == EOPNOTSUPP);
}

bool leads_alike(const RoutePlan& a, const RoutePlan& b) {
  return a.gateway == b.gateway && a.device == b.device && a.unreachable == b.unreachable;
}

}  // namespace

std::optional<Refusal> HostNetwork::set_link(const InterfacePlan& plan) {
  const std::string& device = plan.device;
  const LinkState before = netlink_.link_state(device).value_or(LinkState{});
  if (before.mtu != plan.mtu) {
    const int error = do_link_step(SetMtu{device, before.mtu},
                                   [&] { return netlink_.set_mtu(device, plan.mtu); });
    if (error != 0) {
      return refused("cannot set mtu " + std::to_string(plan.mtu) + " on " + device, error);
    }
  }
  if (plan.txqueuelen > 0 && before.txqueuelen != plan.txqueuelen) {
    const int error = do_link_step(SetQueue{device, before.txqueuelen}, [&] {
      return netlink_.set_txqueuelen(device, plan.txqueuelen);
    });
    if (error != 0) return refused("cannot set txqueuelen on " + device, error);
  }
  if (before.up) return std::nullopt;
  const int error = do_link_step(SetUp{device}, [&] { return netlink_.set_link_up(device, true); });
  if (error != 0) return refused("cannot set " + device + " up", error);
  return std::nullopt;
}

// In the journal before it is done: what was not changed is not harmed by being set back.
int HostNetwork::do_link_step(Step undone_by, const std::function<int()>& step) {
  if (!plan_.existed) return step();
  link_steps_.push_back(std::move(undone_by));
  save();
  const int error = step();
  if (error != 0) link_steps_.pop_back();
  return error;
}

std::optional<Refusal> HostNetwork::set_interface(const InterfacePlan& plan) {
  plan_ = plan;
  if (auto refusal = set_link(plan)) return refusal;
  for (const AddressPlan& address : plan.addresses) {
    if (auto refusal = add_address(plan, address)) return refusal;
  }
  save();
  return std::nullopt;
}

// What is there already answers EEXIST, and is as good.
void HostNetwork::take_over(const InterfacePlan& plan, const Steps& standing) {
  plan_ = plan;
  for (const Step& step : standing) {
    if (const auto* set = std::get_if<SetAddress>(&step)) {
      addresses_.push_back(set->address);
    } else if (const auto* route = std::get_if<SetRoute>(&step)) {
      routes_.push_back(route->route);
    } else {
      link_steps_.push_back(step);
    }
  }
  static_cast<void>(set_link(plan));
  for (const AddressPlan& address : addresses_) {
    static_cast<void>(netlink_.add_address(plan.device, address));
  }
  for (const RoutePlan& route : routes_) {
    static_cast<void>(netlink_.add_route(route, lasting(route)));
  }
  save();
}

Steps HostNetwork::standing() const {
  Steps steps = link_steps_;
  for (const AddressPlan& address : addresses_) steps.push_back(SetAddress{plan_.device, address});
  for (const RoutePlan& route : routes_) steps.push_back(SetRoute{route});
  return steps;
}

void HostNetwork::leave() {
  routes_.clear();
  addresses_.clear();
  link_steps_.clear();
}

std::optional<Refusal> HostNetwork::add_address(const InterfacePlan& plan,
                                                const AddressPlan& address) {
  const int error = netlink_.add_address(plan.device, address);
  if (error == EEXIST && plan.existed) return std::nullopt;  // whoever made the device: not ours
  if (error == EEXIST) {
    return Refusal{{{},
                    "address " + text_of(address) + " is already on " + plan.device,
                    "write another one with `ifconfig`"}};
  }
  if (means_no_ipv6(address, error)) return without_ipv6(plan, address, error);
  if (error != 0) {
    return refused("cannot set address " + text_of(address) + " on " + plan.device, error);
  }
  addresses_.push_back(address);
  // At once, but not before: only the kernel's answer tells that it was not there already, by
  // somebody else's hand.
  if (plan.existed) save();
  log_.info("address " + text_of(address) + " on " + plan.device);
  return std::nullopt;
}

// A server may push both families without knowing which this machine has: one is enough to go on.
std::optional<Refusal> HostNetwork::without_ipv6(const InterfacePlan& plan,
                                                 const AddressPlan& address, int error) {
  const std::string off = "IPv6 is off on " + plan.device + " (sysctl net.ipv6.conf." +
                          plan.device + ".disable_ipv6, which begins as net.ipv6.conf.default's)";
  const bool ipv4 = std::ranges::any_of(
      plan.addresses, [](const AddressPlan& each) { return each.local.address.is_v4(); });
  if (!ipv4) {
    return Refusal{{{},
                    base::errno_text("cannot set address " + text_of(address), error) + ": " + off,
                    "set net.ipv6.conf.default.disable_ipv6 to 0"},
                   true};
  }
  if (!std::exchange(ipv6_off_, true)) {
    log_.warning("address " + text_of(address) + " and IPv6 routes are not set: " + off +
                 "; the tunnel goes on with IPv4; turn it on, or write `pull-filter ignore "
                 "ifconfig-ipv6`");
  }
  return std::nullopt;
}

// Two sites that both want the default route: the second is up and carries nothing of it.
void HostNetwork::note_holder(const RoutePlan& route) {
  if (route.device.empty() || route.unreachable) return;
  const auto holder = netlink_.device_of(route);
  if (!holder || *holder == route.device) return;
  held_.push_back("route " + route.destination.to_string() + " leads to " + *holder + " already");
}

std::string HostNetwork::held_by_others() const {
  if (held_.size() < 2) return held_.empty() ? std::string() : held_[0];
  return held_[0] + ", and " + std::to_string(held_.size() - 1) + " more";
}

bool HostNetwork::told(const RoutePlan& route, int error, const std::string& done) {
  if (error == EEXIST) {
    const std::size_t before = held_.size();
    note_holder(route);
    log_.warning(held_.size() > before ? "not into this tunnel: " + held_.back()
                                       : text_of(route) + " is there already and stays as it is");
  } else if (error != 0) {
    log_.warning(to_string(
        base::Problem{route.place, base::errno_text("cannot set " + text_of(route), error), {}}));
  } else {
    log_.info(done + text_of(route));
    return true;
  }
  return false;
}

// False only if the kernel refused; one that is there already is as good.
bool HostNetwork::add_route(const RoutePlan& route) {
  const bool ipv6 = !route.destination.address.is_v4();
  if (ipv6_off_ && ipv6 && route.device == plan_.device) return true;  // has been told
  const int error = netlink_.add_route(route, lasting(route));
  if (error == 0) routes_.push_back(route);
  return told(route, error, "") || error == EEXIST;
}

// Before they are there, all in one go: a kill in between leaves entries too many, which do no harm
// because only routes with our mark are removed by them.
void HostNetwork::announce(const std::vector<RoutePlan>& routes) {
  coming_ = routes;
  save();
}

bool HostNetwork::replace_route(const RoutePlan& route) {
  const int error = netlink_.replace_route(route, lasting(route));
  if (!told(route, error, "now ")) return false;
  std::erase_if(routes_, [&](const RoutePlan& other) { return same_place(other, route); });
  routes_.push_back(route);
  return true;
}

int HostNetwork::add_routes(const InterfacePlan& plan, const std::vector<RoutePlan>& routes) {
  plan_ = plan;
  held_.clear();
  announce(routes);
  int failed = 0;
  for (const RoutePlan& route : routes) failed += add_route(route) ? 0 : 1;
  announce({});
  return failed;
}

std::optional<Refusal> HostNetwork::change(const InterfacePlan& plan,
                                           const std::vector<RoutePlan>& routes) {
  const bool same_link = plan.mtu == plan_.mtu && plan.txqueuelen == plan_.txqueuelen;
  plan_ = plan;
  if (!same_link) {
    if (auto refusal = set_link(plan)) return refusal;
  }
  for (const AddressPlan& address : plan.addresses) {
    if (holds(addresses_, address)) continue;
    if (auto refusal = add_address(plan, address)) return refusal;
  }
  held_.clear();
  announce(routes);
  for (const RoutePlan& route : routes) {
    const RoutePlan* old = at_same_place(routes_, route);
    if (old == nullptr) {
      static_cast<void>(add_route(route));
    } else if (!leads_alike(*old, route)) {
      static_cast<void>(replace_route(route));
    }
  }
  remove_old_routes(routes);
  if (removed_old_addresses(plan)) {
    // With the first address of a network the kernel removes the others and what hung on them.
    for (const AddressPlan& address : plan.addresses) {
      static_cast<void>(netlink_.add_address(plan.device, address));
    }
    for (const RoutePlan& route : routes_) {
      static_cast<void>(netlink_.add_route(route, lasting(route)));
    }
  }
  announce({});
  return std::nullopt;
}

void HostNetwork::remove_old_routes(const std::vector<RoutePlan>& routes) {
  std::vector<RoutePlan> kept;
  for (const RoutePlan& route : routes_) {
    if (at_same_place(routes, route) != nullptr) {
      kept.push_back(route);
    } else {
      log_.info("no longer " + text_of(route));
      static_cast<void>(undo_step(SetRoute{route}));
    }
  }
  routes_ = std::move(kept);
}

bool HostNetwork::removed_old_addresses(const InterfacePlan& plan) {
  std::vector<AddressPlan> kept;
  for (const AddressPlan& address : addresses_) {
    if (holds(plan.addresses, address)) {
      kept.push_back(address);
    } else {
      log_.info("no longer address " + text_of(address));
      static_cast<void>(undo_step(SetAddress{plan.device, address}));
    }
  }
  const bool removed = kept.size() != addresses_.size();
  addresses_ = std::move(kept);
  return removed;
}

std::optional<Hop> HostNetwork::hop_to(const base::IpAddress& destination,
                                       const std::string& tunnel) {
  const auto hop = netlink_.hop_to(destination);
  if (hop && hop->device != tunnel) return hop;
  // Our own routes stand already: the machine's default route is still there beside them.
  const auto gateway = netlink_.default_gateway(destination.family());
  if (!gateway || gateway->device == tunnel) return std::nullopt;
  return Hop{gateway->address, gateway->device};
}

Steps HostNetwork::lasting_steps() const {
  Steps steps = link_steps_;
  for (const AddressPlan& address : addresses_) {
    if (plan_.existed) steps.push_back(SetAddress{plan_.device, address});
  }
  for (const RoutePlan& route : routes_) {
    if (lasting(route)) steps.push_back(SetRoute{route});
  }
  for (const RoutePlan& route : coming_) {
    if (lasting(route)) steps.push_back(SetRoute{route});
  }
  return steps;
}

void HostNetwork::save() {
  const std::string problem = journal_.save(lasting_steps());
  if (!problem.empty()) log_.warning("after a kill, routes may stay: " + problem);
}

void HostNetwork::delete_routes() {
  held_.clear();
  for (auto it = routes_.rbegin(); it != routes_.rend(); ++it) {
    if (lasting(*it)) static_cast<void>(undo_step(SetRoute{*it}));
  }
  std::erase_if(routes_, [this](const RoutePlan& route) { return lasting(route); });
  save();
}

void HostNetwork::undo() {
  coming_.clear();
  const Steps steps = lasting_steps();
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) static_cast<void>(undo_step(*it));
  routes_.clear();
  addresses_.clear();
  link_steps_.clear();
  if (!steps.empty()) save();
}

bool HostNetwork::undo_left_behind() {
  const Steps steps = journal_.load();
  Steps left;
  for (auto it = steps.rbegin(); it != steps.rend(); ++it) {
    log_.notice("left behind by a killed engine, undone: " + to_string(*it));
    if (!undo_step(*it)) left.insert(left.begin(), *it);
  }
  const std::string problem = journal_.save(left);
  if (!problem.empty()) log_.warning(problem);
  return left.empty();
}

bool HostNetwork::undo_step(const Step& step) {
  int error = 0;
  if (const auto* set = std::get_if<SetAddress>(&step)) {
    error = netlink_.delete_address(set->device, set->address);
  } else if (const auto* route = std::get_if<SetRoute>(&step)) {
    const bool ours = plan_.device.empty() || lasting(route->route);
    error = netlink_.delete_route(route->route, ours);
  } else if (const auto* up = std::get_if<SetUp>(&step)) {
    error = netlink_.set_link_up(up->device, false);
  } else if (const auto* mtu = std::get_if<SetMtu>(&step)) {
    error = netlink_.set_mtu(mtu->device, mtu->before);
  } else if (const auto* queue = std::get_if<SetQueue>(&step)) {
    error = netlink_.set_txqueuelen(queue->device, queue->before);
  }
  // ESRCH, ENODEV, EADDRNOTAVAIL: somebody else removed it first, which is what we wanted.
  const bool gone = error == ESRCH || error == ENODEV || error == EADDRNOTAVAIL;
  if (error == 0 || gone) return true;
  log_.warning(base::errno_text("cannot undo " + to_string(step), error));
  return false;
}

}  // namespace hostnet
