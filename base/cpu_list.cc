// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include "base/text.h"

namespace base {
namespace {

struct CpuRange {
  int first = 0;
  int last = 0;
  int step = 1;
};

std::optional<int> parse_cpu(std::string_view text) {
  const auto number = parse_number<int>(text);
  return number && *number >= 0 && *number < kCpusMax ? number : std::nullopt;
}

// FIRST, FIRST-LAST, FIRST- or FIRST-LAST:STEP.
std::optional<CpuRange> parse_range(std::string_view text, int cpu_count) {
  CpuRange range;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    const auto step = parse_cpu(text.substr(colon + 1));
    if (!step || *step == 0) return std::nullopt;
    range.step = *step;
    text = text.substr(0, colon);
  }
  const auto dash = text.find('-');
  const auto first = parse_cpu(text.substr(0, dash));
  if (!first) return std::nullopt;
  range.first = range.last = *first;
  if (dash == std::string_view::npos) return range;
  const auto end = text.substr(dash + 1);
  const auto last = end.empty() ? std::optional(std::max(cpu_count - 1, *first)) : parse_cpu(end);
  if (!last || *last < *first) return std::nullopt;
  range.last = *last;
  return range;
}

struct CpuSetDeleter {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, CpuSetDeleter>;

}  // namespace

Result<std::vector<int>> parse_cpu_list(std::string_view text, int cpu_count) {
  std::vector<int> cpus;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_range(trim(part), cpu_count);
    if (!range) {
      return Problem{{},
                     "'" + std::string(text) + "' is no CPU list",
                     "write for example \"2-5\" or \"0,3-\""};
    }
    for (int cpu = range->first; cpu <= range->last; cpu += range->step) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string format_cpu_list(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (!text.empty()) text += ",";
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += "-" + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

std::optional<std::vector<int>> parse_cpu_mask(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::vector<int> cpus;
  int first = 0;
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit) {
    if (*digit == ',') continue;
    unsigned bits = 0;
    if (std::from_chars(&*digit, &*digit + 1, bits, 16).ec != std::errc()) return std::nullopt;
    if (bits != 0 && first >= kCpusMax) return std::nullopt;
    for (int bit = 0; bit < 4; ++bit) {
      if ((bits >> bit & 1) != 0) cpus.push_back(first + bit);
    }
    first += 4;
  }
  if (first == 0) return std::nullopt;
  return cpus;
}

std::vector<int> affinity_of(int pid) {
  const CpuSet set(CPU_ALLOC(kCpusMax));
  const std::size_t size = CPU_ALLOC_SIZE(kCpusMax);
  CPU_ZERO_S(size, set.get());
  std::vector<int> cpus;
  if (::sched_getaffinity(pid, size, set.get()) != 0) return cpus;
  for (int cpu = 0; cpu < kCpusMax; ++cpu) {
    if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

std::string set_affinity(int pid, const std::vector<int>& cpus) {
  const CpuSet set(CPU_ALLOC(kCpusMax));
  const std::size_t size = CPU_ALLOC_SIZE(kCpusMax);
  CPU_ZERO_S(size, set.get());
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, set.get());
  if (::sched_setaffinity(pid, size, set.get()) == 0) return {};
  return errno_text("cannot bind to CPUs " + format_cpu_list(cpus), errno);
}

int configured_cpu_count() {
  const long count = ::sysconf(_SC_NPROCESSORS_CONF);
  return count > 0 ? static_cast<int>(count) : 1;
}

}  // namespace base
