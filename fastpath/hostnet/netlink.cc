// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/netlink.h"

#include <libmnl/libmnl.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace hostnet {
namespace {

int family_number(const base::IpAddress& address) { return address.is_v4() ? AF_INET : AF_INET6; }

base::IpAddress network_of(const base::Prefix& prefix) {
  std::array<std::uint8_t, 16> bytes{};
  const auto from = prefix.address.bytes();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const int used = prefix.length - static_cast<int>(i) * 8;
    const int mask = used >= 8 ? 0xff : used <= 0 ? 0 : 0xff << (8 - used) & 0xff;
    bytes[i] = static_cast<std::uint8_t>(from[i] & mask);
  }
  return base::IpAddress::from_bytes({bytes.data(), from.size()});
}

int read_link_attribute(const nlattr* attribute, void* data) {
  auto& state = *static_cast<LinkState*>(data);
  if (mnl_attr_get_payload_len(attribute) != 4) return MNL_CB_OK;
  const auto value = static_cast<int>(mnl_attr_get_u32(attribute));
  if (mnl_attr_get_type(attribute) == IFLA_MTU) state.mtu = value;
  if (mnl_attr_get_type(attribute) == IFLA_TXQLEN) state.txqueuelen = value;
  return MNL_CB_OK;
}

int read_link(const nlmsghdr* header, void* data) {
  const auto* link = static_cast<const ifinfomsg*>(mnl_nlmsg_get_payload(header));
  LinkState state;
  state.up = (link->ifi_flags & IFF_UP) != 0;
  mnl_attr_parse(header, sizeof *link, read_link_attribute, &state);
  *static_cast<std::optional<LinkState>*>(data) = state;
  return MNL_CB_OK;
}

}  // namespace

// A message being built in a buffer of its own.
class Netlink::Request {
 public:
  Request(std::uint16_t type, std::uint16_t flags) : header_(mnl_nlmsg_put_header(buffer_.data())) {
    header_->nlmsg_type = type;
    header_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | flags);
  }
  template <typename Body>
  Body* body() {
    return static_cast<Body*>(mnl_nlmsg_put_extra_header(header_, sizeof(Body)));
  }
  void address(std::uint16_t type, const base::IpAddress& value) {
    mnl_attr_put(header_, type, value.bytes().size(), value.bytes().data());
  }
  void u32(std::uint16_t type, std::uint32_t value) { mnl_attr_put_u32(header_, type, value); }
  nlmsghdr* header() { return header_; }

 private:
  alignas(nlmsghdr) std::array<char, 1024> buffer_{};
  nlmsghdr* header_;
};

Netlink::Netlink() : socket_(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC)) {
  if (socket_ == nullptr) throw base::FatalError(base::errno_text("netlink socket", errno));
  if (mnl_socket_bind(socket_, 0, MNL_SOCKET_AUTOPID) < 0) {
    const int error = errno;
    mnl_socket_close(socket_);
    throw base::FatalError(base::errno_text("netlink bind", error));
  }
}

Netlink::~Netlink() { mnl_socket_close(socket_); }

int Netlink::ask(Request& request) {
  nlmsghdr* header = request.header();
  header->nlmsg_flags |= NLM_F_ACK;
  header->nlmsg_seq = ++sequence_;
  if (mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) return errno;
  alignas(nlmsghdr) std::array<char, 8192> answer{};
  const ssize_t got = mnl_socket_recvfrom(socket_, answer.data(), answer.size());
  if (got < 0) return errno;
  const int result = mnl_cb_run(answer.data(), static_cast<std::size_t>(got), sequence_,
                                mnl_socket_get_portid(socket_), nullptr, nullptr);
  return result < 0 ? errno : 0;
}

std::optional<LinkState> Netlink::link_state(const std::string& device) {
  Request request(RTM_GETLINK, 0);
  auto* link = request.body<ifinfomsg>();
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = static_cast<int>(::if_nametoindex(device.c_str()));
  nlmsghdr* header = request.header();
  header->nlmsg_seq = ++sequence_;
  if (link->ifi_index == 0 || mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) {
    return std::nullopt;
  }
  alignas(nlmsghdr) std::array<char, 32768> answer{};
  const ssize_t got = mnl_socket_recvfrom(socket_, answer.data(), answer.size());
  if (got < 0) return std::nullopt;
  std::optional<LinkState> state;
  static_cast<void>(mnl_cb_run(answer.data(), static_cast<std::size_t>(got), sequence_,
                               mnl_socket_get_portid(socket_), read_link, &state));
  return state;
}

int Netlink::set_link_up(const std::string& device, bool up) {
  Request request(RTM_NEWLINK, 0);
  auto* link = request.body<ifinfomsg>();
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = static_cast<int>(::if_nametoindex(device.c_str()));
  if (link->ifi_index == 0) return ENODEV;
  link->ifi_change = IFF_UP;
  if (up) link->ifi_flags = IFF_UP;
  return ask(request);
}

int Netlink::set_mtu(const std::string& device, int mtu) {
  Request request(RTM_NEWLINK, 0);
  auto* link = request.body<ifinfomsg>();
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = static_cast<int>(::if_nametoindex(device.c_str()));
  if (link->ifi_index == 0) return ENODEV;
  request.u32(IFLA_MTU, static_cast<std::uint32_t>(mtu));
  return ask(request);
}

int Netlink::set_txqueuelen(const std::string& device, int packets) {
  Request request(RTM_NEWLINK, 0);
  auto* link = request.body<ifinfomsg>();
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = static_cast<int>(::if_nametoindex(device.c_str()));
  if (link->ifi_index == 0) return ENODEV;
  request.u32(IFLA_TXQLEN, static_cast<std::uint32_t>(packets));
  return ask(request);
}

int Netlink::change_address(const std::string& device, const AddressPlan& address, bool add) {
  Request request(add ? RTM_NEWADDR : RTM_DELADDR, add ? NLM_F_CREATE | NLM_F_EXCL : 0);
  auto* body = request.body<ifaddrmsg>();
  const base::IpAddress& local = address.local.address;
  body->ifa_family = static_cast<std::uint8_t>(family_number(local));
  body->ifa_prefixlen = static_cast<std::uint8_t>(address.local.length);
  body->ifa_index = ::if_nametoindex(device.c_str());
  if (body->ifa_index == 0) return ENODEV;
  request.address(IFA_LOCAL, local);
  request.address(IFA_ADDRESS, address.peer.value_or(local));
  const bool has_broadcast = local.is_v4() && !address.peer && address.local.length < 31;
  if (has_broadcast) {
    const std::uint32_t mask = base::netmask_of_length(address.local.length).v4_value();
    request.address(IFA_BROADCAST, base::IpAddress::v4(local.v4_value() | ~mask));
  }
  return ask(request);
}

int Netlink::add_address(const std::string& device, const AddressPlan& address) {
  return change_address(device, address, true);
}

int Netlink::delete_address(const std::string& device, const AddressPlan& address) {
  return change_address(device, address, false);
}

int Netlink::change_route(const RoutePlan& route, std::uint16_t type, std::uint16_t flags,
                          bool marked) {
  Request request(type, flags);
  auto* body = request.body<rtmsg>();
  const bool ipv4 = route.destination.address.is_v4();
  body->rtm_family = static_cast<std::uint8_t>(family_number(route.destination.address));
  body->rtm_dst_len = static_cast<std::uint8_t>(route.destination.length);
  body->rtm_table = RT_TABLE_MAIN;
  body->rtm_protocol = marked ? kOwnRouteProtocol : RTPROT_BOOT;
  const bool on_link = ipv4 && !route.gateway && !route.unreachable;
  body->rtm_scope = on_link ? RT_SCOPE_LINK : RT_SCOPE_UNIVERSE;
  body->rtm_type = route.unreachable ? RTN_UNREACHABLE : RTN_UNICAST;
  request.address(RTA_DST, network_of(route.destination));
  if (route.gateway) request.address(RTA_GATEWAY, *route.gateway);
  if (!route.device.empty()) {
    const unsigned index = ::if_nametoindex(route.device.c_str());
    if (index == 0) return ENODEV;
    request.u32(RTA_OIF, index);
  }
  if (route.metric) request.u32(RTA_PRIORITY, *route.metric);
  return ask(request);
}

int Netlink::add_route(const RoutePlan& route, bool marked) {
  return change_route(route, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, marked);
}
int Netlink::delete_route(const RoutePlan& route, bool marked) {
  return change_route(route, RTM_DELROUTE, 0, marked);
}
int Netlink::replace_route(const RoutePlan& route, bool marked) {
  return change_route(route, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, marked);
}

}  // namespace hostnet
