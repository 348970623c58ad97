// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/address_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/text.h"

namespace site {
namespace {

constexpr std::size_t kHostCharsMax = 253;  // RFC 1035, section 2.3.4
constexpr int kPortMax = 65535;

std::optional<int> parse_port(std::string_view text) {
  const auto port = base::parse_number<int>(text);
  return port && *port >= 1 && *port <= kPortMax ? port : std::nullopt;
}

bool is_host(std::string_view text) {
  return base::IpAddress::parse(text).has_value() || is_host_name(text);
}

std::optional<RemoteWords> with_port(std::string_view host, std::string_view port_text) {
  const auto port = parse_port(port_text);
  if (!port) return std::nullopt;
  return RemoteWords{std::string(host), port, {}};
}

bool is_gateway(std::string_view text, base::IpFamily family) {
  if (text == "vpn_gateway" || text == "net_gateway" || text == "default") return true;
  const auto address = base::IpAddress::parse(text);
  return address && address->family() == family;
}

std::optional<RemoteWords> parse_host_and_port(std::string_view text) {
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const auto address = base::IpAddress::parse(text.substr(1, close - 1));
    const auto rest = text.substr(close + 1);
    if (!address || address->is_v4()) return std::nullopt;
    if (rest.empty()) return RemoteWords{address->to_string(), std::nullopt, {}};
    return rest.front() == ':' ? with_port(address->to_string(), rest.substr(1)) : std::nullopt;
  }
  if (is_host(text)) return RemoteWords{std::string(text), std::nullopt, {}};
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos || !is_host(text.substr(0, colon)) ||
      text.find(':') != colon) {
    return std::nullopt;
  }
  return with_port(text.substr(0, colon), text.substr(colon + 1));
}

}  // namespace

bool is_host_name(std::string_view text) {
  const bool all_digits_and_dots =
      text.find_first_not_of("0123456789.") == std::string_view::npos;  // a mistyped address
  return !text.empty() && text.size() <= kHostCharsMax && !all_digits_and_dots &&
         text.front() != '-' && text.front() != '.' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
         });
}

std::optional<RemoteWords> parse_remote(std::string_view text) {
  const auto words = base::split_words(text);
  if (words.size() != 2) return parse_host_and_port(text);
  constexpr std::array<std::string_view, 6> kProtos{"udp", "udp4", "udp6", "tcp", "tcp4", "tcp6"};
  auto remote = parse_host_and_port(words[0]);
  if (std::find(kProtos.begin(), kProtos.end(), words[1]) == kProtos.end()) return std::nullopt;
  if (remote) remote->proto = words[1];
  return remote;
}

std::optional<RouteWords> parse_route(std::string_view text, base::IpFamily family) {
  const auto words = base::split_words(text);
  if (words.empty() || words.size() > 3) return std::nullopt;
  const auto network = base::Prefix::parse(words[0]);
  if (!network || network->address.family() != family) return std::nullopt;
  RouteWords route{*network, {}, {}};
  if (words.size() > 1) {
    if (!is_gateway(words[1], family)) return std::nullopt;
    route.gateway = words[1];
  }
  if (words.size() > 2) {
    route.metric = base::parse_number<int>(words[2]);
    if (!route.metric || *route.metric < 0) return std::nullopt;
  }
  return route;
}

base::Prefix network_of(const base::Prefix& prefix) {
  std::array<std::uint8_t, 16> bytes{};
  const auto from = prefix.address.bytes();
  for (std::size_t at = 0; at < from.size(); ++at) {
    const int used = std::clamp(prefix.length - static_cast<int>(at) * 8, 0, 8);
    bytes[at] = static_cast<std::uint8_t>(from[at] & (0xff << (8 - used)));
  }
  return {base::IpAddress::from_bytes({bytes.data(), from.size()}), prefix.length};
}

bool has_host_bits(const base::Prefix& prefix) { return network_of(prefix) != prefix; }

}  // namespace site
