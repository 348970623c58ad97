// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/interrupts.h"

#include <optional>
#include <string>

#include "base/cpu_list.h"
#include "base/text.h"

namespace host {
namespace {

// "           CPU0       CPU2 " -> {0, 2}; empty: it is no such line.
std::vector<int> parse_head(std::string_view line) {
  std::vector<int> cpus;
  for (std::string_view word : base::split_words(line)) {
    if (!word.starts_with("CPU")) return {};
    word.remove_prefix(3);
    const auto cpu = base::parse_number<int>(word);
    if (!cpu || *cpu < 0 || *cpu >= base::kCpusMax) return {};
    cpus.push_back(*cpu);
  }
  return cpus;
}

struct Row {
  std::string_view name;                // in front of the colon
  std::map<int, std::uint64_t> counts;  // without zeros
  std::string words;                    // behind the counts, one blank between two
};

std::optional<Row> parse_row(std::string_view line, const std::vector<int>& cpus) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  Row row;
  row.name = base::trim(line.substr(0, colon));
  const auto words = base::split_words(line.substr(colon + 1));
  if (words.size() < cpus.size()) return std::nullopt;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at >= cpus.size()) {
      row.words += (row.words.empty() ? "" : " ") + std::string(words[at]);
      continue;
    }
    const auto count = base::parse_number<std::uint64_t>(words[at]);
    if (!count) return std::nullopt;
    if (*count > 0) row.counts[cpus[at]] = *count;
  }
  return row;
}

template <typename Use>
void for_each_row(std::string_view text, const Use& use) {
  const auto lines = base::split(text, '\n');
  const auto cpus = parse_head(lines.front());
  if (cpus.empty()) return;
  for (std::size_t at = 1; at < lines.size(); ++at) {
    auto row = parse_row(lines[at], cpus);
    if (row) use(std::move(*row));
  }
}

bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::vector<base::Interrupt> parse_interrupts(std::string_view text) {
  std::vector<base::Interrupt> found;
  for_each_row(text, [&found](Row row) {
    const auto number = base::parse_number<int>(row.name);
    if (!number || *number < 0) return;
    base::Interrupt interrupt;
    interrupt.number = *number;
    interrupt.words = std::move(row.words);
    interrupt.counts = std::move(row.counts);
    found.push_back(std::move(interrupt));
  });
  return found;
}

std::map<int, std::uint64_t> parse_softirqs(std::string_view text, std::string_view wanted) {
  std::map<int, std::uint64_t> counts;
  for_each_row(text, [&](Row row) {
    if (row.name == wanted) counts = std::move(row.counts);
  });
  return counts;
}

bool names_device(std::string_view words, std::string_view device) {
  if (device.empty()) return false;
  for (auto at = words.find(device); at != std::string_view::npos;
       at = words.find(device, at + 1)) {
    const auto end = at + device.size();
    const bool begins = at == 0 || !is_part_of_name(words[at - 1]);
    if (begins && (end == words.size() || !is_part_of_name(words[end]))) return true;
  }
  return false;
}

}  // namespace host
