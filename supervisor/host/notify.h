// SPDX-License-Identifier: Apache-2.0
// Both ends of sd_notify(3): telling the manager above us, and hearing the children below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace host {

// Sends `message` ("READY=1\nSTATUS=…") to $NOTIFY_SOCKET; does nothing where there is none.
void notify_manager(const std::string& message);

// Returns when the manager above has worked off what was sent before, or after `limit`.
void wait_for_manager(base::Duration limit);

// Half of $WATCHDOG_USEC, the pace at which the manager above wants WATCHDOG=1; nothing: not asked.
std::optional<base::Duration> watchdog_pace();

// What one datagram says; keys we do not know are skipped.
struct Notification {
  bool ready = false, stopping = false, reloading = false, watchdog = false, trigger = false;
  std::optional<std::string> status;
  std::optional<std::uint64_t> watchdog_usec, extend_timeout_usec;
  // Descriptors to be kept for the next run, or no longer, under a name.
  bool store = false, forget = false;
  std::string name = "stored";  // as systemd calls what is given no name
};
Notification parse_notification(std::string_view message);

// A datagram socket in the abstract name space that children get as NOTIFY_SOCKET. The kernel
// vouches for the sender (SO_PASSCRED), so that only a unit's main process is believed.
class NotifySocket {
 public:
  NotifySocket();  // FatalError if there are no sockets

  const std::string& address() const { return address_; }  // "@0001f"
  int fd() const { return fd_.get(); }

  struct Datagram {
    int sender = 0;  // pid, as the kernel says; 0: not told
    std::string message;
    std::vector<base::UniqueFd> descriptors;  // what came with it
  };
  std::optional<Datagram> receive();  // nothing: queue is empty; never blocks

 private:
  base::UniqueFd fd_;
  std::string address_;
};

}  // namespace host
