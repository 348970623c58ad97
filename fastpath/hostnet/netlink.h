// SPDX-License-Identifier: Apache-2.0
// rtnetlink(7) in the few requests that a tunnel needs. Each returns 0 or the kernel's errno.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/ip.h"
#include "fastpath/hostnet/plan.h"

struct mnl_socket;

namespace hostnet {

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
  [[nodiscard]] int add_route(const RoutePlan& route);
  [[nodiscard]] int delete_route(const RoutePlan& route);
  // The main table's default route with the lowest metric.
  std::optional<Gateway> default_gateway(base::IpFamily family);

 private:
  class Request;
  int ask(Request& request);
  int change_address(const std::string& device, const AddressPlan& address, bool add);
  int change_route(const RoutePlan& route, bool add);

  mnl_socket* socket_;
  std::uint32_t sequence_ = 0;
};

}  // namespace hostnet
