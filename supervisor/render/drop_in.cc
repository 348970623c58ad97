// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/drop_in.h"

#include "base/cpu_list.h"
#include "base/text.h"
#include "ovpn/remote_list.h"

namespace render {
namespace {

constexpr int kRestartStepsSince = 254;  // systemd's NEWS: RestartSteps=, RestartMaxDelaySec=
constexpr int kFirstUnprivilegedPort = 1024;

bool binds_low_port(const ovpn::Profile& profile) {
  if (profile.has("nobind")) return false;
  const auto port = base::parse_number<int>(ovpn::local_port(profile));
  return port && *port > 0 && *port < kFirstUnprivilegedPort;
}

}  // namespace

std::string render_drop_in(const DropInInput& input) {
  std::string text = "# Written by `tunctl enable " + input.site.name + "` from its site file.\n";
  if (!input.site.description.empty()) {
    text += "[Unit]\nDescription=tunctl " + input.site.name + ": ";
    for (const char c : input.site.description) text += c == '%' ? "%%" : std::string(1, c);
    text += "\n";
  }
  text += "[Service]\n";
  if (!input.cpus.empty()) text += "CPUAffinity=" + base::format_cpu_list(input.cpus) + "\n";
  text += "WatchdogSec=" + std::to_string(input.site.run.watchdog_seconds) + "\n";
  if (input.site.run.ready == site::Ready::kConnected) {
    // The engine gives up by itself at the limit; systemd waits a little longer than that.
    text += "TimeoutStartSec=" + std::to_string(input.site.run.ready_timeout_seconds + 10) + "\n";
  }
  if (input.nice != 0) text += "Nice=" + std::to_string(input.nice) + "\n";
  if (input.profile.has("mlock")) text += "LimitMEMLOCK=infinity\n";
  if (input.systemd_version >= kRestartStepsSince) {
    text += "RestartSteps=6\nRestartMaxDelaySec=60\n";
  }
  if (binds_low_port(input.profile)) {
    text += "AmbientCapabilities=CAP_NET_BIND_SERVICE\n";
    text += "CapabilityBoundingSet=CAP_NET_BIND_SERVICE\n";
  }
  return text;
}

}  // namespace render
