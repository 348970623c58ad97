// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ovpn/cipher_name.h"
#include "supervisor/cli/topology.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/launch/neighbours.h"
#include "supervisor/placement/nic_cpus.h"
#include "supervisor/render/cipher_advice.h"

namespace cli {
namespace {

// The whole command stays under a second and a half, whatever there is to measure.
constexpr base::Duration kMeasuring = std::chrono::milliseconds(800);
constexpr std::size_t kTasksMax = 8;

void add(std::vector<pki::SpeedTask>& tasks, pki::SpeedTask task) {
  const bool there = std::find(tasks.begin(), tasks.end(), task) != tasks.end();
  if (!there && tasks.size() < kTasksMax) tasks.push_back(std::move(task));
}

void add_ciphers_of(const ovpn::Profile& profile, std::vector<pki::SpeedTask>& tasks) {
  const std::string auth = profile.arg("auth").value_or(std::string(ovpn::kDefaultDigest));
  const ovpn::DigestName* digest = ovpn::find_digest(auth);
  for (const std::string& name : render::data_ciphers(profile)) {
    const ovpn::CipherName* cipher = ovpn::find_cipher(name);
    if (cipher == nullptr || cipher->is_none()) continue;
    const bool aead = cipher->mode == ovpn::CipherMode::kAead;
    const bool hmac = !aead && digest != nullptr && !digest->is_none();
    add(tasks, {std::string(cipher->name), hmac ? std::string(digest->name) : ""});
  }
}

// The sites' own, as far as they can be read, and behind them what every far end has.
std::vector<pki::SpeedTask> tasks_of(Context& context) {
  std::vector<pki::SpeedTask> tasks;
  for (const std::string& name : context.site_names()) {
    const auto report = examine(context, name);
    if (report) add_ciphers_of(report->near.profile, tasks);
  }
  add(tasks, {"AES-256-GCM", ""});
  add(tasks, {"CHACHA20-POLY1305", ""});
  add(tasks, {"AES-256-CBC", "SHA256"});
  return tasks;
}

// One CPU of each class, away from cards and tunnels if there is such a one.
std::vector<int> cpus_to_measure(const Topology& topology) {
  const auto busy = placement::nic_cpus(topology.machine);
  const auto& allowed = topology.machine.allowed;
  std::vector<int> cpus;
  for (const placement::CoreClass& kind : topology.kinds.classes) {
    std::optional<std::pair<int, int>> best;  // how busy, and which
    for (const int cpu : kind.cpus) {
      const bool usable =
          allowed.empty() || std::find(allowed.begin(), allowed.end(), cpu) != allowed.end();
      int load = busy.contains(cpu) ? 2 : 0;
      for (const auto& tunnel : topology.tunnels) {
        load += static_cast<int>(std::count(tunnel.cpus.begin(), tunnel.cpus.end(), cpu));
      }
      const std::pair candidate{load, cpu};
      if (usable && (!best || candidate < *best)) best = candidate;
    }
    if (best) cpus.push_back(best->second);
  }
  return cpus;
}

}  // namespace

int run_topology(Context& context, const Call& call) {
  Topology topology;
  topology.machine = context.machine();
  if (topology.machine.cpus.empty()) {
    context.complain(
        "what CPUs there are could not be read below /sys/devices/system/cpu and in "
        "/proc/cpuinfo");
    return kFailed;
  }
  topology.kinds = placement::core_classes(topology.machine);
  topology.tunnels = launch::neighbours_of("", context.files(), context.paths());
  topology.choice = placement::decide({"auto", 0}, topology.machine, topology.tunnels);
  if (context.world().cipher_speeds) {
    topology.speeds =
        context.world().cipher_speeds(tasks_of(context), cpus_to_measure(topology), kMeasuring);
  }
  if (call.has("--json")) {
    context.print(topology_json(topology));
  } else {
    context.show(topology_text(topology));
  }
  return kOk;
}

}  // namespace cli
