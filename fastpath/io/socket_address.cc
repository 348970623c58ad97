// SPDX-License-Identifier: Apache-2.0
#include "fastpath/io/socket_address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace io {
namespace {

template <typename Address>
SocketAddress packed(const Address& address) {
  SocketAddress result;
  std::memcpy(&result.storage, &address, sizeof address);
  result.length = sizeof address;
  return result;
}

}  // namespace

SocketAddress to_socket_address(const base::Endpoint& endpoint, base::IpFamily family) {
  const auto bytes = endpoint.address.bytes();
  if (family == base::IpFamily::kIpv4) {
    if (!endpoint.address.is_v4()) return {};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(endpoint.port);
    std::memcpy(&address.sin_addr, bytes.data(), bytes.size());
    return packed(address);
  }
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(endpoint.port);
  std::uint8_t* to = address.sin6_addr.s6_addr;
  if (endpoint.address.is_v4()) {
    to[10] = to[11] = 0xff;
    std::copy(bytes.begin(), bytes.end(), to + 12);
  } else {
    std::copy(bytes.begin(), bytes.end(), to);
  }
  return packed(address);
}

base::Endpoint from_socket_address(const sockaddr_storage& storage) {
  if (storage.ss_family == AF_INET) {
    sockaddr_in address;
    std::memcpy(&address, &storage, sizeof address);
    return {base::IpAddress::v4(ntohl(address.sin_addr.s_addr)), ntohs(address.sin_port)};
  }
  if (storage.ss_family == AF_INET6) {
    sockaddr_in6 address;
    std::memcpy(&address, &storage, sizeof address);
    const base::ByteSpan bytes(address.sin6_addr.s6_addr, 16);
    return {base::IpAddress::from_bytes(bytes).unmapped(), ntohs(address.sin6_port)};
  }
  return {};
}

}  // namespace io
