// SPDX-License-Identifier: Apache-2.0
#include "fastpath/root_helper/name_servers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/interface_name.h"

namespace root_helper {
namespace {

constexpr const char *kCopyEnd = ".resolv.conf", *kNoteEnd = ".name-servers";
constexpr int kTries = 100;
constexpr useconds_t kPauseMicroseconds = 100'000;

base::UniqueFd wait_for_turn(const std::string& path) {
  base::UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  for (int i = 0; lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++i) {
    if (i == kTries || errno != EWOULDBLOCK) return {};
    ::usleep(kPauseMicroseconds);
  }
  return lock;
}

}  // namespace

NameServers::NameServers(const base::Log& log, std::string folder, hostnet::DnsPlaces places)
    : log_(log), folder_(std::move(folder)), places_(std::move(places)) {
  ::mkdir(folder_.c_str(), 0700);
  turn_ = wait_for_turn(folder_ + "/.lock");
  if (!turn_) problem_ = base::errno_text("cannot keep what to give back in " + folder_, errno);
}

hostnet::DnsPlaces NameServers::places_for(const std::string& device) const {
  hostnet::DnsPlaces places = places_;
  places.backup = folder_ + "/" + device + kCopyEnd;
  places.note = folder_ + "/" + device + kNoteEnd;
  return places;
}

bool NameServers::set(const hostnet::SetNameServers& wanted) {
  hostnet::DnsSetup dns(log_, places_for(wanted.device));
  if (!dns.undo_left_behind(wanted.device)) return false;
  dns.set(wanted.device, wanted.plan, wanted.whole_machine);
  const bool done = dns.is_set();
  dns.leave();
  return done;
}

bool NameServers::undo(const std::string& device) {
  return hostnet::DnsSetup(log_, places_for(device)).undo_left_behind(device);
}

void NameServers::undo_all() {
  for (const std::string& device : noted_devices(folder_)) undo(device);
}

std::set<std::string> noted_devices(const std::string& folder) {
  std::set<std::string> devices;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    for (const std::string end : {kCopyEnd, kNoteEnd}) {
      if (!name.ends_with(end)) continue;
      const std::string device = name.substr(0, name.size() - end.size());
      if (base::is_interface_name(device)) devices.insert(device);
    }
  }
  return devices;
}

}  // namespace root_helper
