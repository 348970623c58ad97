// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_network.h"

#include <dirent.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/cpu_list.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/read_firewall.h"
#include "supervisor/host/tree_reader.h"

namespace host {
namespace {

constexpr std::int64_t kMtuMax = 1 << 20;
constexpr std::int64_t kSpeedMax = 10'000'000;
constexpr const char* kConf4 = "/proc/sys/net/ipv4/conf/";

template <typename Number>
std::optional<Number> hexadecimal(std::string_view text) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// /proc/net/route has addresses as the machine's own words hold them.
std::optional<base::IpAddress> address_in_memory(std::string_view hex) {
  const auto word = hexadecimal<std::uint32_t>(hex);
  if (!word) return std::nullopt;
  std::array<std::uint8_t, 4> bytes{};
  std::memcpy(bytes.data(), &*word, bytes.size());
  return base::IpAddress::from_bytes(bytes);
}

std::optional<bool> flag(const TreeReader& tree, const std::string& path) {
  const auto value = tree.number(path, 0, 2);
  return value ? std::optional(*value != 0) : std::nullopt;
}

// Of `KEY=value` lines.
std::string value_of(std::string_view text, std::string_view key) {
  for (const auto line : base::split(text, '\n')) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) {
      return std::string(base::trim(line.substr(key.size() + 1)));
    }
  }
  return "";
}

// Both leave a note for each interface, by its index: what they make of it.
std::string manager_of(const TreeReader& tree, int index) {
  const std::string networkd =
      value_of(tree.text(fmt::format("/run/systemd/netif/links/{}", index)), "ADMIN_STATE");
  if (!networkd.empty() && networkd != "unmanaged" && networkd != "linger") {
    return "systemd-networkd";
  }
  const std::string manager =
      value_of(tree.text(fmt::format("/run/NetworkManager/devices/{}", index)), "managed");
  return manager == "true" || manager == "managed" ? "NetworkManager" : "";
}

std::optional<bool> ask_card(const std::string& name, std::uint32_t command) {
  const base::UniqueFd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_value value{};
  value.cmd = command;
  ifreq request{};
  if (!fd || name.size() >= IFNAMSIZ) return std::nullopt;
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&value);
  if (::ioctl(fd.get(), SIOCETHTOOL, &request) != 0) return std::nullopt;
  return value.data != 0;
}

InterfaceFacts read_interface(const TreeReader& tree, const std::string& name, bool this_machine) {
  const std::string folder = "/sys/class/net/" + name;
  const auto small = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
  };
  InterfaceFacts facts;
  facts.name = name;
  facts.hardware = tree.exists(folder + "/device");
  const std::string state = tree.text(folder + "/operstate");
  facts.up = state == "up" || state == "unknown";
  facts.mtu = small(tree.number(folder + "/mtu", 1, kMtuMax));
  facts.speed_mbit = small(tree.number(folder + "/speed", 1, kSpeedMax));
  const auto own = tree.number(kConf4 + name + "/rp_filter", 0, 2);
  const auto all = tree.number(std::string(kConf4) + "all/rp_filter", 0, 2);
  if (own && all) facts.rp_filter = static_cast<int>(std::max(*own, *all));
  const auto index = tree.number(folder + "/ifindex", 1, INT32_MAX);
  if (index) facts.manager = manager_of(tree, static_cast<int>(*index));
  if (this_machine && facts.hardware) facts.receive_offload = ask_card(name, ETHTOOL_GGRO);
  return facts;
}

std::optional<bool> is_clock_synchronized() {
  timex request{};
  const int state = ::adjtimex(&request);
  if (state < 0) return std::nullopt;
  return state != TIME_ERROR && (request.status & STA_UNSYNC) == 0;
}

std::vector<std::uint64_t> socket_inodes(int pid) {
  std::vector<std::uint64_t> inodes;
  const std::string folder = fmt::format("/proc/{}/fd/", pid);
  for (const std::string& name : TreeReader("").names(folder)) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlink((folder + name).c_str(), target.data(), target.size());
    const std::string_view link(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    constexpr std::string_view kSocket = "socket:[";
    if (!link.starts_with(kSocket) || !link.ends_with(']')) continue;
    const auto inode = base::parse_number<std::uint64_t>(
        link.substr(kSocket.size(), link.size() - kSocket.size() - 1));
    if (inode) inodes.push_back(*inode);
  }
  return inodes;
}

}  // namespace

std::vector<RouteFacts> parse_ipv4_routes(std::string_view table) {
  constexpr std::uint32_t kUp = 1;
  std::vector<RouteFacts> routes;
  for (const auto line : base::split(table, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() < 8) continue;
    const auto to = address_in_memory(words[1]);
    const auto flags = hexadecimal<std::uint32_t>(words[3]);
    const auto metric = base::parse_number<std::uint32_t>(words[6]);
    const auto mask = address_in_memory(words[7]);
    const auto length = mask ? base::netmask_length(*mask) : std::nullopt;
    if (!to || !flags || !metric || !length || (*flags & kUp) == 0) continue;
    routes.push_back({{*to, *length}, std::string(words[0]), *metric});
  }
  return routes;
}

std::vector<RouteFacts> parse_ipv6_routes(std::string_view table) {
  constexpr std::uint32_t kUp = 1, kReject = 0x200, kLocal = 0x80000000;
  std::vector<RouteFacts> routes;
  for (const auto line : base::split(table, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() < 10) continue;
    const auto to = base::from_hex(words[0]);
    const auto length = hexadecimal<std::uint32_t>(words[1]);
    const auto metric = hexadecimal<std::uint32_t>(words[5]);
    const auto flags = hexadecimal<std::uint32_t>(words[8]);
    if (!to || to->size() != 16 || !length || *length > 128 || !metric || !flags) continue;
    if ((*flags & kUp) == 0 || (*flags & (kReject | kLocal)) != 0 || words[9] == "lo") continue;
    if ((*to)[0] == 0xff || ((*to)[0] == 0xfe && (*to)[1] == 0x80)) continue;  // each link has them
    const auto address = base::IpAddress::from_bytes(*to);
    routes.push_back({{address, static_cast<int>(*length)}, std::string(words[9]), *metric});
  }
  return routes;
}

std::map<int, CpuTicks> parse_cpu_ticks(std::string_view stat) {
  constexpr std::size_t kSoftirq = 7;  // proc(5), of the numbers behind the name
  constexpr std::size_t kGuest = 8;    // from here on they are counted elsewhere already
  std::map<int, CpuTicks> ticks;
  for (const auto line : base::split(stat, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() <= kSoftirq + 1 || !words[0].starts_with("cpu")) continue;
    const auto cpu = base::parse_number<int>(words[0].substr(3));
    if (!cpu || *cpu < 0 || *cpu >= base::kCpusMax) continue;
    CpuTicks of;
    for (std::size_t i = 0; i < std::min(words.size() - 1, kGuest); ++i) {
      of.all += base::parse_number<std::uint64_t>(words[i + 1]).value_or(0);
    }
    of.softirq = base::parse_number<std::uint64_t>(words[kSoftirq]).value_or(0);
    ticks[*cpu] = of;
  }
  return ticks;
}

std::map<int, double> softirq_share(const std::map<int, CpuTicks>& before,
                                    const std::map<int, CpuTicks>& after) {
  std::map<int, double> share;
  for (const auto& [cpu, now] : after) {
    const auto old = before.find(cpu);
    if (old == before.end() || now.all <= old->second.all) continue;
    const std::uint64_t soft =
        now.softirq > old->second.softirq ? now.softirq - old->second.softirq : 0;
    share[cpu] =
        std::min(1.0, static_cast<double>(soft) / static_cast<double>(now.all - old->second.all));
  }
  return share;
}

std::optional<std::uint64_t> counter_of(std::string_view table, std::string_view name) {
  const auto lines = base::split(table, '\n');
  for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
    const auto names = base::split_words(lines[i]);
    const auto values = base::split_words(lines[i + 1]);
    const auto found = std::find(names.begin(), names.end(), name);
    const auto at = static_cast<std::size_t>(found - names.begin());
    if (found != names.end() && at < values.size()) {
      return base::parse_number<std::uint64_t>(values[at]);
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_udp_drops(std::string_view table,
                                             const std::vector<std::uint64_t>& inodes) {
  constexpr std::size_t kInode = 9, kDrops = 12;
  std::optional<std::uint64_t> drops;
  for (const auto line : base::split(table, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() <= kDrops) continue;
    const auto inode = base::parse_number<std::uint64_t>(words[kInode]);
    const auto dropped = base::parse_number<std::uint64_t>(words[kDrops]);
    if (!inode || !dropped || std::find(inodes.begin(), inodes.end(), *inode) == inodes.end()) {
      continue;
    }
    drops = drops.value_or(0) + *dropped;
  }
  return drops;
}

std::optional<std::uint64_t> udp_drops_of(int pid) {
  const auto inodes = socket_inodes(pid);
  std::optional<std::uint64_t> drops;
  for (const char* name : {"udp", "udp6"}) {
    // As that process sees them: it may be in another network namespace.
    const std::string table = TreeReader("").text(fmt::format("/proc/{}/net/{}", pid, name));
    if (const auto more = parse_udp_drops(table, inodes)) drops = drops.value_or(0) + *more;
  }
  return drops;
}

NetworkFacts watch_network(base::Duration interval, const std::string& root) {
  const TreeReader tree(root);
  const auto before = parse_cpu_ticks(tree.text("/proc/stat"));
  const base::TimePoint begin = base::monotonic_now();
  NetworkFacts facts;
  for (const std::string& name : tree.names("/sys/class/net")) {
    facts.interfaces.push_back(read_interface(tree, name, root.empty()));
  }
  facts.routes = parse_ipv4_routes(tree.text("/proc/net/route"));
  const auto ipv6 = parse_ipv6_routes(tree.text("/proc/net/ipv6_route"));
  facts.routes.insert(facts.routes.end(), ipv6.begin(), ipv6.end());
  facts.forwards_ipv4 = flag(tree, "/proc/sys/net/ipv4/ip_forward");
  facts.forwards_ipv6 = flag(tree, "/proc/sys/net/ipv6/conf/all/forwarding");
  facts.rp_filter_drops = counter_of(tree.text("/proc/net/netstat"), "IPReversePathFilter");
  if (root.empty()) {
    facts.firewall = read_firewall();
    facts.clock_synchronized = is_clock_synchronized();
  }
  const base::Duration left = begin + interval - base::monotonic_now();
  if (left > base::Duration{}) std::this_thread::sleep_for(left);
  facts.softirq_share = softirq_share(before, parse_cpu_ticks(tree.text("/proc/stat")));
  return facts;
}

}  // namespace host
