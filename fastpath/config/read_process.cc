// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "fastpath/config/reading.h"

namespace config {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

void user(Reading& r, const ovpn::Directive& d) { r.config.process.user = word(d, 0); }
void group(Reading& r, const ovpn::Directive& d) { r.config.process.group = word(d, 0); }
void chroot(Reading& r, const ovpn::Directive& d) { r.config.process.chroot = word(d, 0); }
void cd(Reading& r, const ovpn::Directive& d) { r.config.process.directory = word(d, 0); }
void writepid(Reading& r, const ovpn::Directive& d) { r.config.process.write_pid = word(d, 0); }
void mlock(Reading& r, const ovpn::Directive&) { r.config.process.mlock = true; }

void daemon(Reading& r, const ovpn::Directive& d) {
  r.config.process.daemon = true;
  r.config.process.daemon_name = word(d, 0);
}

void log(Reading& r, const ovpn::Directive& d) {
  r.config.process.log_file = word(d, 0);
  r.config.process.log_append = d.name == "log-append";
}

void syslog(Reading& r, const ovpn::Directive& d) {
  r.config.process.log_syslog = true;
  r.config.process.daemon_name = word(d, 0);
}

void status(Reading& r, const ovpn::Directive& d) {
  r.config.process.status_file = word(d, 0);
  number_into(r, d, 1, 0, kInt32Max, r.config.process.status_seconds);
}

void nice(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, -20, 19, r.config.process.nice);
}

void verb(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, 15, r.config.process.verb);
}

void mute(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.process.mute);
}

void suppress_timestamps(Reading& r, const ovpn::Directive&) {
  r.config.process.suppress_timestamps = true;
}

void remap_usr1(Reading& r, const ovpn::Directive& d) {
  if (word(d, 0) != "SIGHUP" && word(d, 0) != "SIGTERM") {
    r.problem(d, "'" + word(d, 0) + "' is not a signal it takes", "write SIGHUP or SIGTERM");
    return;
  }
  r.config.process.remap_usr1 = word(d, 0);
}

constexpr ReadingRow kRows[] = {
    {"cd", cd},         {"chroot", chroot},
    {"daemon", daemon}, {"group", group},
    {"log", log},       {"log-append", log},
    {"mlock", mlock},   {"mute", mute},
    {"nice", nice},     {"remap-usr1", remap_usr1},
    {"status", status}, {"suppress-timestamps", suppress_timestamps},
    {"syslog", syslog}, {"user", user},
    {"verb", verb},     {"writepid", writepid},
};

}  // namespace

std::span<const ReadingRow> process_rows() { return kRows; }

}  // namespace config
