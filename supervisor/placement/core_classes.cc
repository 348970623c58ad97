// SPDX-License-Identifier: Apache-2.0
#include "supervisor/placement/core_classes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>

namespace placement {
namespace {

// Kinds of cores that are found beside others. `per_cycle` is what a core does in a cycle against a
// Cortex-A72, from the capacity-dmips-mhz that device trees in the kernel give them, and from the
// Dhrystone figures that ARM has published.
struct Part {
  std::string_view id;  // implementer and part, as /proc/cpuinfo has them
  std::string_view name;
  double per_cycle;
};

constexpr Part kParts[] = {
    {"41:b76", "ARM1176", 0.26},
    {"41:c05", "Cortex-A5", 0.33},
    {"41:c07", "Cortex-A7", 0.40},
    {"41:c08", "Cortex-A8", 0.42},
    {"41:c09", "Cortex-A9", 0.53},
    {"41:c0d", "Cortex-A17", 0.85},
    {"41:c0e", "Cortex-A17", 0.85},
    {"41:c0f", "Cortex-A15", 0.75},
    {"41:d01", "Cortex-A32", 0.40},
    {"41:d03", "Cortex-A53", 0.50},
    {"41:d04", "Cortex-A35", 0.40},
    {"41:d05", "Cortex-A55", 0.57},
    {"41:d07", "Cortex-A57", 0.87},
    {"41:d08", "Cortex-A72", 1.00},
    {"41:d09", "Cortex-A73", 1.00},
    {"41:d0a", "Cortex-A75", 1.20},
    {"41:d0b", "Cortex-A76", 1.40},
    {"41:d0c", "Neoverse-N1", 1.45},
    {"41:d0d", "Cortex-A77", 1.65},
    {"41:d40", "Neoverse-V1", 1.90},
    {"41:d41", "Cortex-A78", 1.75},
    {"41:d44", "Cortex-X1", 2.00},
    {"41:d46", "Cortex-A510", 0.70},
    {"41:d47", "Cortex-A710", 1.85},
    {"41:d48", "Cortex-X2", 2.20},
    {"41:d49", "Neoverse-N2", 1.85},
    {"41:d4d", "Cortex-A715", 1.90},
    {"41:d4e", "Cortex-X3", 2.40},
    {"41:d80", "Cortex-A520", 0.75},
    {"41:d81", "Cortex-A720", 2.00},
    {"41:d82", "Cortex-X4", 2.60},
    {"61:022", "Apple Icestorm", 1.30},
    {"61:023", "Apple Firestorm", 2.60},
    {"61:024", "Apple Icestorm", 1.30},
    {"61:025", "Apple Firestorm", 2.60},
    {"61:032", "Apple Blizzard", 1.45},
    {"61:033", "Apple Avalanche", 2.80},
    {"core", "P-core", 1.00},
    {"atom", "E-core", 0.70},
};

constexpr double kUnknownPerCycle = 1.0;
// Cores of one kind differ by this much where some are a little better than others (favoured
// cores, bins of silicon); a class of its own has further to go.
constexpr double kSameClass = 0.9;

const Part* find_part(std::string_view id) {
  const auto found = std::find_if(std::begin(kParts), std::end(kParts),
                                  [id](const Part& part) { return part.id == id; });
  return found == std::end(kParts) ? nullptr : found;
}

double per_cycle(const base::Cpu& cpu) {
  const Part* part = find_part(cpu.part);
  return part == nullptr ? kUnknownPerCycle : part->per_cycle;
}

using Speed = std::function<double(const base::Cpu&)>;

struct Measure {
  Speed speed;
  std::string_view source;
};

bool all(const std::vector<base::Cpu>& cpus, const std::function<bool(const base::Cpu&)>& is) {
  return std::all_of(cpus.begin(), cpus.end(), is);
}

bool tells_apart(const std::vector<base::Cpu>& cpus, const Speed& speed) {
  return !all(cpus, [&](const base::Cpu& cpu) { return speed(cpu) == speed(cpus.front()); });
}

// The best that tells CPUs apart. A device tree without capacities gives 1024 to each, whatever
// they are, so that this alone says nothing.
Measure choose_measure(const std::vector<base::Cpu>& cpus) {
  const Speed capacity = [](const base::Cpu& cpu) { return double(cpu.capacity.value_or(0)); };
  if (all(cpus, [](const base::Cpu& cpu) { return cpu.capacity.has_value(); }) &&
      tells_apart(cpus, capacity)) {
    return {capacity, "cpu_capacity"};
  }
  const bool clocked = all(cpus, [](const base::Cpu& cpu) { return cpu.max_khz.has_value(); });
  const bool kinds =
      !all(cpus, [&](const base::Cpu& cpu) { return cpu.part == cpus.front().part; });
  if (clocked && kinds) {
    return {[](const base::Cpu& cpu) { return double(cpu.max_khz.value_or(0)) * per_cycle(cpu); },
            "clock rate and kind of core"};
  }
  if (clocked) {
    return {[](const base::Cpu& cpu) { return double(cpu.max_khz.value_or(0)); }, "clock rate"};
  }
  if (kinds) return {per_cycle, "kind of core"};
  return {[](const base::Cpu&) { return 0.0; }, ""};
}

}  // namespace

std::string core_name(std::string_view part) {
  const Part* found = find_part(part);
  return found == nullptr ? "" : std::string(found->name);
}

CoreClasses core_classes(const base::Machine& machine) {
  CoreClasses found;
  if (machine.cpus.empty()) return found;
  const Measure measure = choose_measure(machine.cpus);
  std::vector<const base::Cpu*> order;
  for (const base::Cpu& cpu : machine.cpus) order.push_back(&cpu);
  std::stable_sort(order.begin(), order.end(), [&](const base::Cpu* a, const base::Cpu* b) {
    return measure.speed(*a) > measure.speed(*b);
  });
  std::map<std::string, std::size_t> last;  // the newest class of each kind of core
  for (const base::Cpu* cpu : order) {
    const double speed = measure.speed(*cpu);
    const auto same = last.find(cpu->part);
    if (same != last.end() && speed >= kSameClass * found.classes[same->second].speed) {
      found.classes[same->second].cpus.push_back(cpu->number);
      continue;
    }
    last[cpu->part] = found.classes.size();
    found.classes.push_back({{cpu->number}, core_name(cpu->part), speed});
  }
  for (CoreClass& kind : found.classes) std::sort(kind.cpus.begin(), kind.cpus.end());
  if (found.classes.size() > 1) found.source = measure.source;
  return found;
}

}  // namespace placement
