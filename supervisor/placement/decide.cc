// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "base/cpu_list.h"
#include "supervisor/placement/core_classes.h"
#include "supervisor/placement/nic_cpus.h"
#include "supervisor/placement/placement.h"

namespace placement {
namespace {

// What the engine uses by itself at the most; further threads were not seen to help one tunnel.
constexpr std::size_t kThreadsAutoMax = 8;
// With fewer cores than this to run on, the second threads of cores are better than none.
constexpr std::size_t kWholeCoresEnough = 2;

using Cpus = std::vector<int>;

bool has(const Cpus& cpus, int cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

Cpus common(const Cpus& cpus, const Cpus& of) {
  Cpus both;
  std::copy_if(cpus.begin(), cpus.end(), std::back_inserter(both),
               [&of](int cpu) { return has(of, cpu); });
  return both;
}

std::string named(const Cpus& cpus) {
  return (cpus.size() == 1 ? "CPU " : "CPUs ") + base::format_cpu_list(cpus);
}
std::string kind_of(const CoreClass& kind) {
  return kind.name.empty() ? "" : " (" + kind.name + ")";
}
std::string_view are(const Cpus& cpus) { return cpus.size() == 1 ? "is" : "are"; }

class Decision {
 public:
  Decision(const Wish& wish, const base::Machine& machine, const std::vector<Neighbour>& neighbours)
      : wish_(wish), machine_(machine), neighbours_(neighbours), busy_(nic_cpus(machine)) {}

  CpuChoice take() {
    find_usable();
    if (usable_.size() < 2) return leave();
    chosen_ = usable_;
    if (wish_.word != "not-irq") keep_class(wish_.word == "little");
    if (wish_.word == "auto" || wish_.word == "not-irq") leave_nic_cpus();
    if (wish_.word == "auto") {
      keep_node();
      keep_whole_cores();
    }
    share();
    std::sort(chosen_.begin(), chosen_.end());
    CpuChoice choice{chosen_, {}, {fmt::format("{}: {}", wish_.word, named(chosen_))}};
    if (chosen_ == everywhere_) choice.reasons[0] += ", which is all there are";
    choice.reasons.insert(choice.reasons.end(), reasons_.begin(), reasons_.end());
    return choice;
  }

 private:
  template <typename... T>
  void say(fmt::format_string<T...> text, T&&... values) {
    reasons_.push_back(fmt::format(text, std::forward<T>(values)...));
  }

  void find_usable() {
    for (const base::Cpu& cpu : machine_.cpus) everywhere_.push_back(cpu.number);
    usable_ = everywhere_;
    if (!machine_.allowed.empty()) {
      const Cpus within = common(usable_, machine_.allowed);
      if (within.size() < usable_.size() && !within.empty()) {
        say("the cpuset has only {}", named(within));
        usable_ = within;
      }
    }
    Cpus free;
    std::copy_if(usable_.begin(), usable_.end(), std::back_inserter(free),
                 [this](int cpu) { return !has(machine_.isolated, cpu); });
    if (free.size() == usable_.size() || free.empty()) return;
    say("isolcpus keeps {} for others", named(common(usable_, machine_.isolated)));
    usable_ = free;
  }

  CpuChoice leave() const {
    CpuChoice choice;
    choice.reasons.push_back(fmt::format("{}: the affinity is left as it is", wish_.word));
    choice.reasons.insert(choice.reasons.end(), reasons_.begin(), reasons_.end());
    choice.reasons.push_back(usable_.empty() ? "what CPUs there are could not be read"
                                             : "there is one CPU to run on, and nothing to choose");
    return choice;
  }

  // The fastest class, or the slowest, of which there is a CPU to use.
  void keep_class(bool slowest) {
    const CoreClasses all = core_classes(machine_);
    CoreClasses here;
    for (CoreClass kind : all.classes) {
      kind.cpus = common(kind.cpus, usable_);
      if (!kind.cpus.empty()) here.classes.push_back(kind);
    }
    const CoreClass& first = here.classes.front();
    const CoreClass& last = here.classes.back();
    if (here.classes.size() == 1) {
      say("{} {} all of one kind{}", named(first.cpus), are(first.cpus), kind_of(first));
      return;
    }
    chosen_ = slowest ? last.cpus : first.cpus;
    const CoreClass& own = slowest ? last : first;
    const CoreClass& other = slowest ? first : last;
    say("{}{} {} the {} by {}: {:.0f} % of {}{}", named(own.cpus), kind_of(own), are(own.cpus),
        slowest ? "slowest" : "fastest", all.source, 100 * own.speed / other.speed,
        named(other.cpus), kind_of(other));
  }

  void leave_nic_cpus() {
    Cpus free, left;
    for (const int cpu : chosen_) (busy_.contains(cpu) ? left : free).push_back(cpu);
    if (busy_.empty()) return say("no CPU is known to serve a network card");
    if (left.empty()) {
      const auto& [cpu, words] = *busy_.begin();
      return say("CPU {} has {}, and is none of these", cpu, words);
    }
    if (free.empty()) {
      return say("{} {} {}, and no other CPU is free", named(left),
                 left.size() == 1 ? "has" : "have", busy_.at(left.front()));
    }
    say("{} {} left to {}", named(left), are(left), busy_.at(left.front()));
    chosen_ = free;
  }

  const base::Cpu& cpu_of(int number) const {
    return *std::find_if(machine_.cpus.begin(), machine_.cpus.end(),
                         [number](const base::Cpu& cpu) { return cpu.number == number; });
  }

  // The memory that the card writes to, or at least one memory for all threads.
  void keep_node() {
    std::map<int, Cpus> nodes;
    for (const int cpu : chosen_) nodes[cpu_of(cpu).node].push_back(cpu);
    if (nodes.size() < 2) return;
    const int near = nic_node(machine_);
    if (nodes.contains(near) && near >= 0) {
      chosen_ = nodes[near];
      return say("the network card is nearest to the memory of node {}: {}", near, named(chosen_));
    }
    const auto most = std::max_element(
        nodes.begin(), nodes.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    chosen_ = most->second;
    say("threads of one tunnel share the memory of one node, {}: {}", most->first, named(chosen_));
  }

  // One thread of each core, those first whose other threads do not serve a card.
  void keep_whole_cores() {
    Cpus quiet, beside_nic, second;
    for (const int cpu : chosen_) {
      const Cpus& siblings = cpu_of(cpu).siblings;
      const bool doubled =
          !common(siblings, quiet).empty() || !common(siblings, beside_nic).empty();
      const bool nic = std::any_of(siblings.begin(), siblings.end(), [&](int other) {
        return other != cpu && busy_.contains(other);
      });
      (doubled ? second : nic ? beside_nic : quiet).push_back(cpu);
    }
    const std::size_t wanted =
        wish_.threads > 0 ? static_cast<std::size_t>(wish_.threads) : kThreadsAutoMax;
    Cpus order = quiet;
    order.insert(order.end(), beside_nic.begin(), beside_nic.end());
    const std::size_t cores = order.size();
    const bool asked_for_more = wish_.threads > 0 && wanted > cores;
    if (!second.empty() && (cores < kWholeCoresEnough || asked_for_more)) {
      order.insert(order.end(), second.begin(), second.end());
    } else if (!second.empty()) {
      say("{} {} second threads of cores that are used already", named(second), are(second));
    }
    order_ = order;
    limit_ = wanted;
  }

  // Neighbours that are bound to some of these CPUs: what nobody has is taken first, then the even
  // share of what there is, those CPUs first where no neighbour has its busiest thread.
  void share() {
    if (order_.empty()) order_ = chosen_;
    if (limit_ == 0) limit_ = order_.size();
    std::vector<const Neighbour*> here;
    std::map<int, int> taken, busiest;
    for (const Neighbour& other : neighbours_) {
      const Cpus on = common(other.cpus, order_);
      // An engine that was given all CPUs is bound to none: the kernel moves it out of our way.
      if (on.empty() || common(everywhere_, other.cpus) == everywhere_) continue;
      here.push_back(&other);
      for (const int cpu : on) ++taken[cpu];
      if (has(on, other.cpus.front())) ++busiest[other.cpus.front()];
    }
    const std::size_t all = order_.size();
    std::size_t count = std::min(limit_, all);
    if (!here.empty()) {
      const std::size_t free = all - taken.size();
      count = std::min(count, std::max({free, all / (here.size() + 1), std::size_t{1}}));
      std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
        return std::pair(busiest[a], taken[a]) < std::pair(busiest[b], taken[b]);
      });
    }
    chosen_.assign(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count));
    if (!here.empty()) {
      say("{} other tunnel{} on {} of these {} CPUs; this one takes {} of them", here.size(),
          here.size() == 1 ? " is" : "s are", taken.size(), all, count);
    } else if (count < all) {
      say("{} of {} CPUs: {}", count, all,
          wish_.threads > 0 ? "run.threads asks for no more"
                            : "more threads do not help one tunnel");
    }
  }

  const Wish& wish_;
  const base::Machine& machine_;
  const std::vector<Neighbour>& neighbours_;
  const std::map<int, std::string> busy_;
  Cpus everywhere_;  // online
  Cpus usable_;
  Cpus chosen_;
  Cpus order_;             // of chosen_, best first
  std::size_t limit_ = 0;  // how many of them; 0: all
  std::vector<std::string> reasons_;
};

}  // namespace

CpuChoice decide(const Wish& wish, const base::Machine& machine,
                 const std::vector<Neighbour>& neighbours) {
  return Decision(wish, machine, neighbours).take();
}

}  // namespace placement
