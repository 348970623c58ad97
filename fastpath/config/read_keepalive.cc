// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "fastpath/config/reading.h"

namespace config {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

void ping(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.keepalive.ping_seconds);
}

// ping-restart and ping-exit share one timer in OpenVPN: the later line wins.
void ping_restart(Reading& r, const ovpn::Directive& d) {
  r.ping_timeout_given = true;
  r.config.keepalive.ping_exit_seconds = 0;
  number_into(r, d, 0, 0, kInt32Max, r.config.keepalive.ping_restart_seconds);
}

void ping_exit(Reading& r, const ovpn::Directive& d) {
  r.ping_timeout_given = true;
  r.config.keepalive.ping_restart_seconds = 0;
  number_into(r, d, 0, 0, kInt32Max, r.config.keepalive.ping_exit_seconds);
}

void keepalive(Reading& r, const ovpn::Directive& d) {
  auto& to = r.config.keepalive;
  const auto interval = number(r, d, 0, 1, kInt32Max);
  const auto timeout = number(r, d, 1, 1, kInt32Max);
  if (!interval || !timeout) return;
  if (*timeout < 2 * *interval) {
    r.problem(d, "the second number is less than twice the first",
              "write for example `keepalive 10 60`");
    return;
  }
  to.ping_seconds = static_cast<int>(*interval);
  to.ping_restart_seconds = static_cast<int>(*timeout);
  to.ping_exit_seconds = 0;
  r.ping_timeout_given = true;
}

void ping_timer_rem(Reading& r, const ovpn::Directive&) {
  r.config.keepalive.timer_needs_remote = true;
}

void inactive(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.keepalive.inactive_seconds);
  if (d.args.size() < 2) return;
  const auto bytes = number(r, d, 1, 0, std::numeric_limits<std::int64_t>::max());
  if (bytes) r.config.keepalive.inactive_bytes = *bytes;
}

void explicit_exit_notify(Reading& r, const ovpn::Directive& d) {
  r.config.keepalive.exit_notify_tries = 1;
  number_into(r, d, 0, 0, kInt32Max, r.config.keepalive.exit_notify_tries);
}

void disable_occ(Reading& r, const ovpn::Directive&) { r.config.keepalive.occ = false; }

constexpr ReadingRow kRows[] = {
    {"disable-occ", disable_occ},
    {"explicit-exit-notify", explicit_exit_notify},
    {"inactive", inactive},
    {"keepalive", keepalive},
    {"ping", ping},
    {"ping-exit", ping_exit},
    {"ping-restart", ping_restart},
    {"ping-timer-rem", ping_timer_rem},
};

}  // namespace

std::span<const ReadingRow> keepalive_rows() { return kRows; }

}  // namespace config
