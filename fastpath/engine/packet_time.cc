// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/packet_time.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/file.h"
#include "base/text.h"

namespace engine {
namespace {

constexpr const char* kName = "packet-time";
// The wire has 32 bits for it: past the last one the peer would see time zero, and stay deaf.
constexpr base::UnixSeconds kTimeMax = 0xffffffff;

// FNV-1a: names files apart, keeps no secret.
std::string short_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  }
  std::array<std::uint8_t, 8> bytes{};
  base::store_be64(bytes.data(), hash);
  return base::to_hex(bytes);
}

bool make_folder(const std::string& path) {
  ::mkdir(path.c_str(), 0700);
  return ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

base::UnixSeconds PacketTime::claim(base::UnixSeconds now) {
  last_ = std::max(now, std::max(last_, read()) + 1);
  write();
  return last_;
}

void PacketTime::moved_to(base::UnixSeconds used) {
  if (used <= last_) return;
  last_ = used;
  write();
}

base::UnixSeconds PacketTime::read() const {
  if (file_.empty()) return 0;
  const auto bytes = base::read_file(file_, 64);
  if (!bytes) return 0;
  const auto last = base::parse_number<base::UnixSeconds>(base::trim(*bytes));
  if (last && *last >= 0 && *last < kTimeMax) return *last;
  log_.warning(file_ +
               " is damaged and not used; if this machine's clock has stepped back, the peer drops "
               "our packets until it has caught up");
  return 0;
}

void PacketTime::write() {
  std::string failure = "no place to keep the last packet time";
  if (!file_.empty()) {
    failure = base::write_file_atomically(file_, std::to_string(last_) + "\n", 0600);
  }
  if (failure.empty() || warned_) return;
  warned_ = true;
  log_.warning(failure +
               "; if this machine's clock ever steps back, the peer drops our packets "
               "until it is past " +
               std::to_string(last_) + " (give --state-dir)");
}

std::string state_file(const std::string& name, const std::string& state_dir,
                       const std::string& identity) {
  if (!state_dir.empty()) return state_dir + "/" + name;
  const std::string own = short_hash(identity);
  ::mkdir("/var/lib/tunctl", 0755);
  for (const std::string folder : {"/var/lib/tunctl/fastpath", "/run/tunctl-fastpath"}) {
    if (make_folder(folder)) return folder + "/" + name + "-" + own;
  }
  return {};
}

std::string packet_time_file(const std::string& state_dir, const std::string& identity) {
  return state_file(kName, state_dir, identity);
}

}  // namespace engine
