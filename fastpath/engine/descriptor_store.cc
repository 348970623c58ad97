// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/descriptor_store.h"

#include <stdlib.h>
#include <systemd/sd-daemon.h>

#include <cstdint>

namespace engine {
namespace {

constexpr std::uint64_t kPatienceUs = 2'000'000;  // of a manager that does not answer

void send_forget(const std::string& name) {
  static_cast<void>(::sd_notify(0, ("FDSTOREREMOVE=1\nFDNAME=" + name).c_str()));
}

}  // namespace

DescriptorStore::DescriptorStore() {
  char** names = nullptr;
  const int count = ::sd_listen_fds_with_names(1, &names);
  for (int i = 0; i < count; ++i) {
    given_[names[i]].reset(SD_LISTEN_FDS_START + i);
    kept_.insert(names[i]);
    ::free(names[i]);
  }
  ::free(names);
}

base::UniqueFd DescriptorStore::take(const std::string& name) {
  const auto found = given_.find(name);
  if (found == given_.end()) return {};
  base::UniqueFd fd = std::move(found->second);
  given_.erase(found);
  return fd;
}

void DescriptorStore::keep(const std::string& name, int fd) {
  if (kept_.contains(name)) send_forget(name);
  kept_.insert(name);
  // Without FDPOLL=0 a socket with an error, or a device that is down, would be let go of.
  const std::string message = "FDSTORE=1\nFDPOLL=0\nFDNAME=" + name;
  static_cast<void>(::sd_pid_notify_with_fds(0, 0, message.c_str(), &fd, 1));
}

void DescriptorStore::forget(const std::string& name) {
  given_.erase(name);
  if (kept_.erase(name) == 0) return;
  send_forget(name);
  static_cast<void>(::sd_notify_barrier(0, kPatienceUs));
}

void DescriptorStore::forget_all() {
  given_.clear();
  for (const std::string& name : kept_) send_forget(name);
  kept_.clear();
}

}  // namespace engine
