// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/tunnel_config.h"

#include <array>
#include <utility>

#include "fastpath/config/reading.h"

namespace config {

std::string occ_proto(Transport transport) {
  switch (transport) {
    case Transport::kUdp:
      return "UDPv4";
    case Transport::kTcpClient:
      return "TCPv4_CLIENT";
    case Transport::kTcpServer:
      return "TCPv4_SERVER";
  }
  return "UDPv4";
}

void read_directive(Reading& reading, const ovpn::Directive& directive) {
  const std::array tables{crypto_rows(),      device_rows(),   keepalive_rows(), link_rows(),
                          process_rows(),     script_rows(),   tls_rows(),       certificate_rows(),
                          negotiation_rows(), host_wish_rows()};
  for (const auto& table : tables) {
    for (const ReadingRow& row : table) {
      if (row.name != directive.name) continue;
      row.read(reading, directive);
      return;
    }
  }
}

base::Result<TunnelConfig, base::Problems> make_tunnel_config(const ovpn::Profile& profile) {
  TunnelConfig config;
  base::Problems problems;
  Reading reading{.config = config, .problems = problems, .nobind_place = {}};
  for (const ovpn::Directive& directive : profile.directives) {
    read_directive(reading, directive);
  }
  finish_link(reading, profile);
  finish_crypto(reading);
  finish_tls(reading);
  finish_device(reading, profile);
  if (!problems.empty()) return problems;
  return config;
}

}  // namespace config
