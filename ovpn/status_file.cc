// SPDX-License-Identifier: Apache-2.0
#include "ovpn/status_file.h"

#include "base/text.h"

namespace ovpn {
namespace {

constexpr std::string_view kTitle = "OpenVPN STATISTICS";

struct Counter {
  std::string_view name;
  std::uint64_t TunnelStatistics::*member;
};
constexpr Counter kCounters[] = {
    {"TUN/TAP read bytes", &TunnelStatistics::tun_read_bytes},
    {"TUN/TAP write bytes", &TunnelStatistics::tun_write_bytes},
    {"TCP/UDP read bytes", &TunnelStatistics::link_read_bytes},
    {"TCP/UDP write bytes", &TunnelStatistics::link_write_bytes},
    {"Auth read bytes", &TunnelStatistics::auth_read_bytes},
};

// False if a known counter's value is no number.
bool take_line(std::string_view name, std::string_view value, TunnelStatistics& statistics) {
  if (name == "Updated") statistics.updated = value;
  for (const Counter& counter : kCounters) {
    if (counter.name != name) continue;
    const auto number = base::parse_number<std::uint64_t>(value);
    if (!number) return false;
    statistics.*counter.member = *number;
  }
  return true;
}

}  // namespace

std::string format_status_file(const TunnelStatistics& statistics) {
  std::string text(kTitle);
  text += "\nUpdated," + statistics.updated + "\n";
  for (const Counter& counter : kCounters) {
    text.append(counter.name).append(",");
    text += std::to_string(statistics.*counter.member) + "\n";
  }
  return text + "END\n";
}

std::optional<TunnelStatistics> parse_status_file(std::string_view text) {
  TunnelStatistics statistics;
  bool titled = false;
  for (const std::string_view line : base::split(text, '\n')) {
    const std::string_view trimmed = base::trim(line);
    if (!titled) {
      if (trimmed != kTitle) return std::nullopt;
      titled = true;
    } else if (trimmed == "END") {
      return statistics;
    } else if (const auto comma = trimmed.find(',');
               comma == std::string_view::npos ||
               !take_line(trimmed.substr(0, comma), trimmed.substr(comma + 1), statistics)) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace ovpn
