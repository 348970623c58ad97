// SPDX-License-Identifier: Apache-2.0
// The file that `status FILE` writes for a tunnel with one peer, byte for byte as stock writes it
// (all status versions look alike here), so that existing monitors read both engines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ovpn {

struct TunnelStatistics {
  std::string updated;  // local time, "2026-11-30 21:10:14"; the caller owns clock and time zone
  std::uint64_t tun_read_bytes = 0;   // IP packets out of the tun device
  std::uint64_t tun_write_bytes = 0;  // IP packets into it
  std::uint64_t link_read_bytes = 0;  // UDP payloads as received
  std::uint64_t link_write_bytes = 0;
  std::uint64_t auth_read_bytes = 0;  // payloads after authentication, pings included

  friend bool operator==(const TunnelStatistics&, const TunnelStatistics&) = default;
};

std::string format_status_file(const TunnelStatistics& statistics);
// Nothing if the text is cut off or is no such file. Counters it does not know are skipped.
std::optional<TunnelStatistics> parse_status_file(std::string_view text);

}  // namespace ovpn
