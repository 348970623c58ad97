// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/notifier.h"

#include <systemd/sd-daemon.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>

namespace engine {

using std::chrono::duration_cast;
using std::chrono::microseconds;

Notifier::Notifier() : listening_(std::getenv("NOTIFY_SOCKET") != nullptr) {
  std::uint64_t period_us = 0;
  if (listening_ && ::sd_watchdog_enabled(0, &period_us) > 0 && period_us > 1) {
    half_period_ = microseconds(period_us / 2);
  }
}

void Notifier::send(const std::string& state) {
  // A manager that cannot be told must not stop a tunnel.
  if (listening_) static_cast<void>(::sd_notify(0, state.c_str()));
}

void Notifier::ready() { send("READY=1"); }
void Notifier::status(const std::string& line) { send("STATUS=" + line); }
void Notifier::watchdog() { send("WATCHDOG=1"); }
void Notifier::stopping() { send("STOPPING=1"); }

void Notifier::reloading() {
  const auto now = duration_cast<microseconds>(base::monotonic_now().time_since_epoch());
  send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

void Notifier::extend_timeout(base::Duration by) {
  send("EXTEND_TIMEOUT_USEC=" + std::to_string(duration_cast<microseconds>(by).count()));
}

}  // namespace engine
