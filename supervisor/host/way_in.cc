// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/way_in.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>

#include "base/file.h"
#include "base/ip.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace host {
namespace {

constexpr const char* kVariable = "SSH_CONNECTION";
constexpr int kAncestorsMax = 64;
constexpr std::uint16_t kAnyPort = 9;  // discard: nothing is ever sent

std::string read_of(int pid, const char* file) {
  auto text = base::read_file("/proc/" + std::to_string(pid) + "/" + file);
  return text ? std::move(text).value() : std::string();
}

std::optional<base::IpAddress> address_of(const sockaddr* socket) {
  if (socket == nullptr) return std::nullopt;
  const auto bytes = [](const void* at, std::size_t size) {
    return base::IpAddress::from_bytes({static_cast<const std::uint8_t*>(at), size});
  };
  if (socket->sa_family == AF_INET) {
    return bytes(&reinterpret_cast<const sockaddr_in*>(socket)->sin_addr, 4);
  }
  if (socket->sa_family == AF_INET6) {
    return bytes(&reinterpret_cast<const sockaddr_in6*>(socket)->sin6_addr, 16);
  }
  return std::nullopt;
}

// The address that the kernel would send from. Connecting a UDP socket asks the routes and sends
// nothing.
std::optional<base::IpAddress> own_address_towards(const base::IpAddress& far) {
  sockaddr_storage to{};
  socklen_t size = 0;
  if (far.is_v4()) {
    auto& v4 = reinterpret_cast<sockaddr_in&>(to);
    v4.sin_family = AF_INET;
    v4.sin_port = htons(kAnyPort);
    std::memcpy(&v4.sin_addr, far.bytes().data(), sizeof v4.sin_addr);
    size = sizeof v4;
  } else {
    auto& v6 = reinterpret_cast<sockaddr_in6&>(to);
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(kAnyPort);
    std::memcpy(&v6.sin6_addr, far.bytes().data(), sizeof v6.sin6_addr);
    size = sizeof v6;
  }
  const base::UniqueFd socket(::socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket || ::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), size) != 0) {
    return std::nullopt;
  }
  sockaddr_storage from{};
  size = sizeof from;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&from), &size) != 0) {
    return std::nullopt;
  }
  return address_of(reinterpret_cast<sockaddr*>(&from));
}

void add_interface_with(const base::IpAddress& address, std::vector<std::string>& names) {
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> all(raw, ::freeifaddrs);
  for (const ifaddrs* one = raw; one != nullptr; one = one->ifa_next) {
    if (address_of(one->ifa_addr) != address) continue;
    if (std::find(names.begin(), names.end(), one->ifa_name) == names.end()) {
      names.emplace_back(one->ifa_name);
    }
  }
}

}  // namespace

std::string variable_in(std::string_view environ, std::string_view name) {
  for (const std::string_view entry : base::split(environ, '\0')) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return std::string(entry.substr(name.size() + 1));
    }
  }
  return {};
}

int parent_in(std::string_view stat) {
  // "4711 (a name, with anything in it) S 4710 …"
  const auto end = stat.rfind(')');
  if (end == std::string_view::npos) return 0;
  const auto words = base::split_words(stat.substr(end + 1));
  return words.size() < 2 ? 0 : base::parse_number<int>(words[1]).value_or(0);
}

std::string ssh_connection() {
  if (const char* own = std::getenv(kVariable); own != nullptr && *own != '\0') return own;
  int pid = ::getppid();
  for (int above = 0; pid > 1 && above < kAncestorsMax; ++above) {
    const std::string environ = read_of(pid, "environ");
    if (auto found = variable_in(environ, kVariable); !found.empty()) return found;
    const std::string stat = read_of(pid, "stat");
    pid = parent_in(stat);
  }
  return {};
}

std::vector<std::string> interfaces_of(std::string_view ssh_connection) {
  std::vector<std::string> names;
  const auto words = base::split_words(ssh_connection);
  if (words.size() < 4) return names;
  const auto plain = [](std::string_view text) {  // "fe80::1%eth0"
    return base::IpAddress::parse(std::string(text.substr(0, text.find('%'))));
  };
  if (const auto here = plain(words[2])) add_interface_with(*here, names);
  const auto far = plain(words[0]);
  const auto from = far ? own_address_towards(*far) : std::nullopt;
  if (from) add_interface_with(*from, names);
  return names;
}

std::vector<std::string> tunnels_of(int pid) {
  std::vector<std::string> names;
  std::error_code failure;
  const std::string folder = "/proc/" + std::to_string(pid) + "/fdinfo";
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const auto text = base::read_file(entry.path().string());
    if (!text) continue;
    for (const std::string_view line : base::split(*text, '\n')) {
      constexpr std::string_view kInterface = "iff:\t";  // the tun driver's own line
      if (line.starts_with(kInterface)) names.emplace_back(line.substr(kInterface.size()));
    }
  }
  return names;
}

}  // namespace host
