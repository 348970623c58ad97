// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/conflicts.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <functional>

#include "base/file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "supervisor/host/folder_handle.h"

namespace host {
namespace {

std::string read_or_empty(const std::string& path) {
  auto text = base::read_file(path);
  return text ? std::move(text).value() : std::string{};
}

// Calls `visit` with each name in `folder` that is a number, until it returns true.
bool any_number_in(const std::string& folder, const std::function<bool(int)>& visit) {
  const FolderHandle open(::opendir(folder.c_str()));
  if (!open) return false;
  while (const dirent* entry = ::readdir(open.get())) {
    const auto number = base::parse_number<int>(entry->d_name);
    if (number && visit(*number)) return true;
  }
  return false;
}

std::string link_text(const std::string& path) {
  char text[256];
  const ssize_t length = ::readlink(path.c_str(), text, sizeof text);
  return length < 0 ? std::string{} : std::string(text, static_cast<std::size_t>(length));
}

Holder holder_of(int pid) {
  const std::string folder = fmt::format("/proc/{}/", pid);
  return {pid, std::string(base::trim(read_or_empty(folder + "comm"))),
          unit_of_cgroup(read_or_empty(folder + "cgroup"))};
}

// The first process with a descriptor that `matches` (pid, fd); `keeper` only if there is no other.
Holder find_process(const std::function<bool(int, int)>& matches, int keeper) {
  Holder found;
  any_number_in("/proc", [&](int pid) {
    const bool holds =
        any_number_in(fmt::format("/proc/{}/fd", pid), [&](int fd) { return matches(pid, fd); });
    if (holds) found = holder_of(pid);
    return holds && pid != keeper;
  });
  return found;
}

std::optional<std::uint64_t> parse_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// An address as /proc/net/udp prints it: each 32 bits as a number of the machine's own order.
std::string table_text(const base::IpAddress& address) {
  std::string text;
  const base::ByteSpan bytes = address.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    text += fmt::format("{:08X}", word);
  }
  return text;
}

bool is_wildcard(std::string_view address) {
  return address.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::string to_string(const Holder& holder) {
  if (holder.pid == 0) return "another process";
  std::string text = fmt::format("{} (pid {}", holder.program, holder.pid);
  if (!holder.unit.empty()) text += ", " + holder.unit;
  return text + ")";
}

std::uint64_t udp_inode_of(const std::string& table, std::uint16_t port,
                           const std::optional<base::IpAddress>& local) {
  for (const auto line : base::split(table, '\n')) {
    const auto words = base::split_words(line);
    if (words.size() < 10) continue;
    const auto colon = words[1].rfind(':');
    if (colon == std::string_view::npos) continue;
    if (parse_hex(words[1].substr(colon + 1)) != port) continue;
    const auto bound = words[1].substr(0, colon);
    if (local && !is_wildcard(bound) && bound != table_text(*local)) continue;
    return base::parse_number<std::uint64_t>(words[9]).value_or(0);
  }
  return 0;
}

std::string unit_of_cgroup(const std::string& text) {
  std::string unit;
  for (const auto line : base::split(text, '\n')) {
    // "1:name=systemd:/system.slice/x.service" (v1) or "0::/system.slice/x.service" (v2)
    if (line.find(":name=systemd:") == std::string_view::npos && !line.starts_with("0::")) continue;
    for (const auto part : base::split(line, '/')) {
      if (part.ends_with(".service") || part.ends_with(".scope")) unit = part;
    }
    if (!unit.empty()) return unit;
  }
  return unit;
}

namespace {

// Empty: the interface is not there, or its driver has no name.
std::string driver_of(const std::string& interface) {
  const base::UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  ifreq request{};
  std::strncpy(request.ifr_name, interface.c_str(), sizeof request.ifr_name - 1);
  request.ifr_data = reinterpret_cast<char*>(&driver);
  if (!socket || ::ioctl(socket.get(), SIOCETHTOOL, &request) != 0) return {};
  return driver.driver;
}

}  // namespace

bool is_tun(const std::string& interface) { return driver_of(interface) == "tun"; }

bool is_foreign_interface(const std::string& interface) {
  if (interface.size() >= IFNAMSIZ || ::if_nametoindex(interface.c_str()) == 0) return false;
  const std::string driver = driver_of(interface);
  return driver != "tun" && !driver.starts_with("ovpn");  // "ovpn-dco", "ovpn-dco-v2", "ovpn"
}

std::optional<Holder> udp_port_holder(std::uint16_t port, const std::string& local, int keeper) {
  const auto address = base::IpAddress::parse(local);
  for (const char* table : {"/proc/net/udp", "/proc/net/udp6"}) {
    const std::uint64_t inode = udp_inode_of(read_or_empty(table), port, address);
    if (inode == 0) continue;
    const std::string wanted = fmt::format("socket:[{}]", inode);
    return find_process(
        [&](int pid, int fd) {
          return link_text(fmt::format("/proc/{}/fd/{}", pid, fd)) == wanted;
        },
        keeper);
  }
  return std::nullopt;
}

std::optional<Holder> interface_holder(const std::string& name, int keeper) {
  // Asked of the kernel and not of /sys, which may show another network namespace.
  if (::if_nametoindex(name.c_str()) == 0) return std::nullopt;
  const std::string wanted = "iff:\t" + name + "\n";
  const std::string network = link_text("/proc/self/ns/net");
  const auto holds = [&](int pid, int fd) {
    if (link_text(fmt::format("/proc/{}/fd/{}", pid, fd)) != "/dev/net/tun") return false;
    return read_or_empty(fmt::format("/proc/{}/fdinfo/{}", pid, fd)).find(wanted) !=
               std::string::npos &&
           link_text(fmt::format("/proc/{}/ns/net", pid)) == network;
  };
  return find_process(holds, keeper);
}

}  // namespace host
