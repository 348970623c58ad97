// SPDX-License-Identifier: Apache-2.0
// rtnetlink(7) in the few requests that a tunnel needs. Each returns 0 or the kernel's errno.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.h"
#include "fastpath/hostnet/plan.h"

struct mnl_socket;
struct nlmsghdr;

namespace hostnet {

// Marks the routes that a journal will undo, in /etc/iproute2/rt_protos' numbers, where it is free:
// what a journal says is removed only if it is really ours.
inline constexpr std::uint8_t kOwnRouteProtocol = 116;

struct Gateway {
  base::IpAddress address;
  std::string device;
};

struct LinkState {
  int mtu = 0;
  int txqueuelen = 0;
  bool up = false;

  friend bool operator==(const LinkState&, const LinkState&) = default;
};

// Used by one thread. Throws base::FatalError if the kernel gives no netlink socket.
class Netlink {
 public:
  Netlink();
  ~Netlink();
  Netlink(const Netlink&) = delete;
  Netlink& operator=(const Netlink&) = delete;

  std::optional<LinkState> link_state(const std::string& device);
  [[nodiscard]] int set_link_up(const std::string& device, bool up);
  [[nodiscard]] int set_mtu(const std::string& device, int mtu);
  [[nodiscard]] int set_txqueuelen(const std::string& device, int packets);
  [[nodiscard]] int add_address(const std::string& device, const AddressPlan& address);
  [[nodiscard]] int delete_address(const std::string& device, const AddressPlan& address);
  // `marked`: with kOwnRouteProtocol, to be deleted with it too.
  [[nodiscard]] int add_route(const RoutePlan& route, bool marked = false);
  [[nodiscard]] int delete_route(const RoutePlan& route, bool marked = false);
  // In one step what was there of the same destination and metric goes and this comes.
  [[nodiscard]] int replace_route(const RoutePlan& route, bool marked = false);
  // The main table's default route with the lowest metric.
  std::optional<Gateway> default_gateway(base::IpFamily family);
  // The device that the main table's route of this destination and metric leads to.
  std::optional<std::string> device_of(const RoutePlan& route);
  // What the kernel would do with a packet to `destination` now; nothing: it would refuse it.
  std::optional<Hop> hop_to(const base::IpAddress& destination);
  std::vector<base::Prefix> networks_on(const std::string& device);  // IPv4, by its addresses

 private:
  class Request;
  int ask(Request& request);
  int change_address(const std::string& device, const AddressPlan& address, bool add);
  // Every route of the main table; `read` is an mnl_cb_t.
  void dump_routes(base::IpFamily family, int (*read)(const nlmsghdr*, void*), void* data);
  int change_route(const RoutePlan& route, std::uint16_t type, std::uint16_t flags, bool marked);

  mnl_socket* socket_;
  std::uint32_t sequence_ = 0;
};

}  // namespace hostnet
