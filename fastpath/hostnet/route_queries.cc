// SPDX-License-Identifier: Apache-2.0
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "fastpath/hostnet/netlink.h"

namespace hostnet {
namespace {

struct Search {
  std::optional<Gateway> best;
  std::uint32_t best_metric = 0;
};

struct RouteFields {
  std::optional<base::IpAddress> destination, gateway;
  unsigned device = 0;
  std::uint32_t metric = 0;
};

std::optional<base::IpAddress> address_in(const nlattr* attribute) {
  const auto size = mnl_attr_get_payload_len(attribute);
  if (size != 4 && size != 16) return std::nullopt;
  return base::IpAddress::from_bytes(
      {static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute)), size});
}

int read_attribute(const nlattr* attribute, void* data) {
  auto& fields = *static_cast<RouteFields*>(data);
  const auto size = mnl_attr_get_payload_len(attribute);
  switch (mnl_attr_get_type(attribute)) {
    case RTA_GATEWAY:
      fields.gateway = address_in(attribute);
      break;
    case RTA_DST:
      fields.destination = address_in(attribute);
      break;
    case RTA_OIF:
      if (size == 4) fields.device = mnl_attr_get_u32(attribute);
      break;
    case RTA_PRIORITY:
      if (size == 4) fields.metric = mnl_attr_get_u32(attribute);
      break;
    default:
      break;
  }
  return MNL_CB_OK;
}

int read_route(const nlmsghdr* header, void* data) {
  auto& search = *static_cast<Search*>(data);
  const auto* route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(header));
  if (route->rtm_dst_len != 0 || route->rtm_table != RT_TABLE_MAIN) return MNL_CB_OK;
  RouteFields fields;
  mnl_attr_parse(header, sizeof *route, read_attribute, &fields);
  if (!fields.gateway || fields.device == 0) return MNL_CB_OK;
  if (search.best && fields.metric >= search.best_metric) return MNL_CB_OK;
  std::array<char, IF_NAMESIZE> name{};
  if (::if_indextoname(fields.device, name.data()) == nullptr) return MNL_CB_OK;
  search.best = Gateway{*fields.gateway, name.data()};
  search.best_metric = fields.metric;
  return MNL_CB_OK;
}

struct HolderSearch {
  const RoutePlan& wanted;
  std::optional<std::string> device;
};

// Linux gives an IPv6 route without a metric this one (IP6_RT_PRIO_USER), an IPv4 route none.
constexpr std::uint32_t kUsualIpv6Metric = 1024;

int read_holder(const nlmsghdr* header, void* data) {
  auto& search = *static_cast<HolderSearch*>(data);
  const auto& wanted = search.wanted.destination;
  const auto* route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(header));
  if (route->rtm_dst_len != wanted.length || route->rtm_table != RT_TABLE_MAIN) return MNL_CB_OK;
  RouteFields fields;
  mnl_attr_parse(header, sizeof *route, read_attribute, &fields);
  if (wanted.length != 0 && (!fields.destination || !wanted.contains(*fields.destination))) {
    return MNL_CB_OK;
  }
  const std::uint32_t usual = wanted.address.is_v4() ? 0 : kUsualIpv6Metric;
  std::array<char, IF_NAMESIZE> name{};
  if (fields.metric != search.wanted.metric.value_or(usual) || fields.device == 0 ||
      ::if_indextoname(fields.device, name.data()) == nullptr) {
    return MNL_CB_OK;
  }
  search.device = name.data();
  return MNL_CB_OK;
}

struct HopSearch {
  std::optional<Hop> hop;
};

int read_hop(const nlmsghdr* header, void* data) {
  const auto* route = static_cast<const rtmsg*>(mnl_nlmsg_get_payload(header));
  RouteFields fields;
  mnl_attr_parse(header, sizeof *route, read_attribute, &fields);
  std::array<char, IF_NAMESIZE> name{};
  const bool leads = route->rtm_type == RTN_UNICAST && fields.device != 0;
  if (!leads || ::if_indextoname(fields.device, name.data()) == nullptr) return MNL_CB_OK;
  static_cast<HopSearch*>(data)->hop = Hop{fields.gateway, name.data()};
  return MNL_CB_OK;
}

struct AddressSearch {
  unsigned device = 0;
  std::vector<base::Prefix> networks;
};

int read_local_address(const nlattr* attribute, void* data) {
  if (mnl_attr_get_type(attribute) != IFA_LOCAL || mnl_attr_get_payload_len(attribute) != 4) {
    return MNL_CB_OK;
  }
  *static_cast<std::optional<base::IpAddress>*>(data) = base::IpAddress::from_bytes(
      {static_cast<const std::uint8_t*>(mnl_attr_get_payload(attribute)), 4});
  return MNL_CB_OK;
}

int read_network(const nlmsghdr* header, void* data) {
  auto& search = *static_cast<AddressSearch*>(data);
  const auto* body = static_cast<const ifaddrmsg*>(mnl_nlmsg_get_payload(header));
  if (body->ifa_index != search.device) return MNL_CB_OK;
  std::optional<base::IpAddress> address;
  mnl_attr_parse(header, sizeof *body, read_local_address, &address);
  if (address) search.networks.push_back({*address, body->ifa_prefixlen});
  return MNL_CB_OK;
}

}  // namespace

void Netlink::dump_routes(base::IpFamily family, int (*read)(const nlmsghdr*, void*), void* data) {
  alignas(nlmsghdr) std::array<char, 16384> buffer{};
  nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_GETROUTE;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  header->nlmsg_seq = ++sequence_;
  auto* route = static_cast<rtmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(rtmsg)));
  route->rtm_family = family == base::IpFamily::kIpv4 ? AF_INET : AF_INET6;
  if (mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) return;
  for (;;) {
    const ssize_t got = mnl_socket_recvfrom(socket_, buffer.data(), buffer.size());
    if (got <= 0) return;
    const int result = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), sequence_,
                                  mnl_socket_get_portid(socket_), read, data);
    if (result <= MNL_CB_STOP) return;
  }
}

std::optional<Gateway> Netlink::default_gateway(base::IpFamily family) {
  Search search;
  dump_routes(family, read_route, &search);
  return search.best;
}

std::optional<std::string> Netlink::device_of(const RoutePlan& route) {
  HolderSearch search{route, std::nullopt};
  dump_routes(route.destination.address.family(), read_holder, &search);
  return search.device;
}

std::optional<Hop> Netlink::hop_to(const base::IpAddress& destination) {
  alignas(nlmsghdr) std::array<char, 8192> buffer{};
  nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_GETROUTE;
  header->nlmsg_flags = NLM_F_REQUEST;
  header->nlmsg_seq = ++sequence_;
  auto* route = static_cast<rtmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(rtmsg)));
  route->rtm_family = destination.is_v4() ? AF_INET : AF_INET6;
  route->rtm_dst_len = destination.is_v4() ? 32 : 128;
  mnl_attr_put(header, RTA_DST, destination.bytes().size(), destination.bytes().data());
  if (mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) return std::nullopt;
  const ssize_t got = mnl_socket_recvfrom(socket_, buffer.data(), buffer.size());
  if (got <= 0) return std::nullopt;
  HopSearch search;
  const int result = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), sequence_,
                                mnl_socket_get_portid(socket_), read_hop, &search);
  return result < 0 ? std::nullopt : search.hop;
}

std::vector<base::Prefix> Netlink::networks_on(const std::string& device) {
  AddressSearch search{::if_nametoindex(device.c_str()), {}};
  alignas(nlmsghdr) std::array<char, 16384> buffer{};
  nlmsghdr* header = mnl_nlmsg_put_header(buffer.data());
  header->nlmsg_type = RTM_GETADDR;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  header->nlmsg_seq = ++sequence_;
  auto* body = static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifaddrmsg)));
  body->ifa_family = AF_INET;
  if (mnl_socket_sendto(socket_, header, header->nlmsg_len) < 0) return {};
  for (;;) {
    const ssize_t got = mnl_socket_recvfrom(socket_, buffer.data(), buffer.size());
    if (got <= 0) return search.networks;
    const int result = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), sequence_,
                                  mnl_socket_get_portid(socket_), read_network, &search);
    if (result <= MNL_CB_STOP) return search.networks;
  }
}

}  // namespace hostnet
