// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/cpu_list.h"
#include "supervisor/doctor/looks.h"
#include "supervisor/placement/core_classes.h"
#include "supervisor/render/cipher_advice.h"

namespace doctor {
namespace {

// Of its time, from where on a CPU that serves the network has too little left for a tunnel.
constexpr double kSoftirqMuch = 0.5;
constexpr double kPercent = 100;
constexpr double kKhzPerGhz = 1e6;

bool among(const std::vector<int>& cpus, int cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

// Where no tunnel is bound, any of them may run anywhere.
bool used(const Facts& facts, int cpu) {
  return std::any_of(facts.tunnels.begin(), facts.tunnels.end(), [cpu](const TunnelFacts& tunnel) {
    return tunnel.cpus.empty() || among(tunnel.cpus, cpu);
  });
}

// These drivers' powersave follows the load; everybody else's is the lowest rate (Linux,
// Documentation/admin-guide/pm/intel_pstate.rst and amd-pstate.rst).
bool holds_rate_down(const base::Cpu& cpu) {
  const bool follows =
      cpu.rate_driver == "intel_pstate" || cpu.rate_driver.starts_with("amd-pstate");
  return cpu.governor == "powersave" && !follows;
}

std::string cpus_text(const std::vector<int>& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + base::format_cpu_list(cpus);
}

std::string name_of(const placement::CoreClass& kind) {
  return cpus_text(kind.cpus) + (kind.name.empty() ? "" : " (" + kind.name + ")");
}

const char* verb(const placement::CoreClass& kind) {
  return kind.cpus.size() == 1 ? " is " : " are ";
}

}  // namespace

void look_at_clock_rates(const Facts& facts, Findings& findings) {
  std::vector<int> slow;
  for (const base::Cpu& cpu : facts.machine.cpus) {
    if (holds_rate_down(cpu) && used(facts, cpu.number)) slow.push_back(cpu.number);
  }
  if (!slow.empty()) {
    const auto& first =
        *std::find_if(facts.machine.cpus.begin(), facts.machine.cpus.end(),
                      [&slow](const base::Cpu& cpu) { return cpu.number == slow.front(); });
    std::string rates;
    if (first.now_khz && first.max_khz) {
      rates =
          fmt::format(": {:.2f} of {:.2f} GHz", static_cast<double>(*first.now_khz) / kKhzPerGhz,
                      static_cast<double>(*first.max_khz) / kKhzPerGhz);
    }
    findings.push_back(fault(
        "governor", "", cpus_text(slow) + " are kept at their lowest rate (powersave)" + rates,
        "`for g in /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo schedutil "
        "> $g; done`, and make it last by the cpufrequtils package"));
  } else if (std::any_of(facts.machine.cpus.begin(), facts.machine.cpus.end(),
                         [](const base::Cpu& cpu) { return !cpu.governor.empty(); })) {
    findings.push_back(good("governor", "", "clock rates follow the load"));
  }
  for (const std::string& what : facts.machine.throttled) {
    findings.push_back(fault("heat", "", "CPUs are held back: " + what,
                             "better cooling, or a power supply that is strong enough"));
  }
}

void look_at_softirqs(const Facts& facts, Findings& findings) {
  const bool one_cpu = facts.machine.cpus.size() < 2;
  bool seen = false;
  for (const auto& [cpu, share] : facts.network.softirq_share) {
    if (share < kSoftirqMuch || !used(facts, cpu)) continue;
    seen = true;
    const std::string evidence = fmt::format(
        "CPU {} spends {:.0f} % of its time on packets of network cards, and a tunnel "
        "may run there",
        cpu, share * kPercent);
    findings.push_back(
        fault("softirq", "", evidence,
              one_cpu ? "a faster machine; this one has a single CPU"
                      : "`cpus = \"not-irq\"` or \"auto\" in [run] of the site file, and restart"));
  }
  if (!seen && !facts.network.softirq_share.empty()) {
    findings.push_back(good("softirq", "", "no CPU is busy with packets of network cards"));
  }
}

void look_at_cores(const Facts& facts, const TunnelFacts& tunnel, Findings& findings) {
  const auto kinds = placement::core_classes(facts.machine);
  if (!tunnel.running || kinds.classes.empty()) return;
  if (kinds.classes.size() == 1) {
    if (!tunnel.cpus.empty()) {
      findings.push_back(good("cores", tunnel.site,
                              "runs on " + cpus_text(tunnel.cpus) + "; all cores are of one kind"));
    }
    return;
  }
  const placement::CoreClass& fastest = kinds.classes.front();
  const auto is_fast = [&fastest](int cpu) { return among(fastest.cpus, cpu); };
  const std::string remedy =
      "`cpus = \"auto\"` in [run] of the site file, and `tunctl restart " + tunnel.site + "`";
  if (tunnel.cpus.empty()) {
    findings.push_back(unknown("cores", tunnel.site, "where its threads may run is not known"));
  } else if (std::none_of(tunnel.cpus.begin(), tunnel.cpus.end(), is_fast)) {
    findings.push_back(fault("cores", tunnel.site,
                             "runs on " + cpus_text(tunnel.cpus) + ", and " + name_of(fastest) +
                                 verb(fastest) + "faster by " + std::string(kinds.source),
                             remedy));
  } else if (!std::all_of(tunnel.cpus.begin(), tunnel.cpus.end(), is_fast)) {
    findings.push_back(fault("cores", tunnel.site,
                             "may run on any of " + cpus_text(tunnel.cpus) + ", and only " +
                                 name_of(fastest) + verb(fastest) + "fast, by " +
                                 std::string(kinds.source),
                             remedy));
  } else {
    findings.push_back(
        good("cores", tunnel.site,
             "runs on " + cpus_text(tunnel.cpus) + " of " + name_of(fastest) + ", the fastest"));
  }
}

void look_at_cipher(const Facts& facts, const TunnelFacts& tunnel, Findings& findings) {
  for (const std::string& advice : render::cipher_advice(tunnel.profile, facts.machine)) {
    findings.push_back(note("cipher", tunnel.site, advice, {}));
  }
}

}  // namespace doctor
