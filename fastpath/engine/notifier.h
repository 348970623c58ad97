// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/time.h"

namespace engine {

// What a service tells its manager (sd_notify(3)); says nothing where none listens. Used by the
// main thread.
class Notifier {
 public:
  Notifier();  // reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID through libsystemd

  bool listening() const { return listening_; }
  // Half of what the manager allows between two signs of life; nothing: it does not watch.
  std::optional<base::Duration> watchdog_half_period() const { return half_period_; }

  void ready();
  void status(const std::string& line);
  void watchdog();
  void reloading();
  void stopping();
  void extend_timeout(base::Duration by);

 private:
  void send(const std::string& state);

  bool listening_;
  std::optional<base::Duration> half_period_;
};

}  // namespace engine
