// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/cpu_list.h"
#include "base/printable.h"
#include "supervisor/cli/topology.h"
#include "supervisor/placement/nic_cpus.h"

namespace cli {
namespace {

constexpr std::size_t kInside = 10;      // columns of a box, without its walls
constexpr std::size_t kBoxesPerRow = 7;  // 7 * 11 + 1 columns
constexpr double kKhzPerGhz = 1e6;

// The lines of a box: threads, clock rate, cards whose interrupts arrive there, tunnels.
using Box = std::array<std::string, 4>;

std::string fitted(std::string text) {
  text = base::printable(text);
  if (text.size() > kInside) text = text.substr(0, kInside - 1) + "~";
  return text;
}

std::string joined(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  const std::string more = names.size() > 1 ? fmt::format(" +{}", names.size() - 1) : "";
  std::string first = names.front();
  if (first.size() + more.size() > kInside)
    first = first.substr(0, kInside - more.size() - 1) + "~";
  return first + more;
}

bool any_of(const std::vector<int>& cpus, const std::vector<int>& of) {
  return std::any_of(cpus.begin(), cpus.end(),
                     [&of](int cpu) { return std::find(of.begin(), of.end(), cpu) != of.end(); });
}

Box box_of(const Topology& topology, const base::Cpu& cpu, const std::vector<int>& threads) {
  Box box{fitted("CPU " + base::format_cpu_list(threads)), "", "", ""};
  if (cpu.now_khz)
    box[1] = fmt::format("{:.2f} GHz", static_cast<double>(*cpu.now_khz) / kKhzPerGhz);
  std::vector<std::string> cards, tunnels;
  for (const base::Nic& nic : topology.machine.nics) {
    const bool here = std::any_of(
        nic.interrupts.begin(), nic.interrupts.end(), [&](const base::Interrupt& interrupt) {
          return !interrupt.counts.empty() && any_of(placement::delivered_to(interrupt), threads);
        });
    if (here) cards.push_back(nic.name);
  }
  for (const auto& tunnel : topology.tunnels) {
    if (any_of(tunnel.cpus, threads)) tunnels.push_back(tunnel.site);
  }
  box[2] = joined(cards);
  box[3] = joined(tunnels);
  return box;
}

std::string wall(std::string_view left, std::string_view middle, std::string_view right,
                 std::size_t boxes) {
  std::string line(left);
  for (std::size_t box = 0; box < boxes; ++box) {
    for (std::size_t column = 0; column < kInside; ++column) line += "─";
    line += box + 1 < boxes ? middle : right;
  }
  return line + "\n";
}

std::string row_of(const Box* boxes, std::size_t count, const std::array<bool, 4>& wanted) {
  std::string text = wall("┌", "┬", "┐", count);
  for (std::size_t line = 0; line < wanted.size(); ++line) {
    if (!wanted[line]) continue;
    text += "│";
    for (std::size_t box = 0; box < count; ++box) {
      text += fmt::format("{:<{}}│", boxes[box][line], kInside);
    }
    text += "\n";
  }
  return text + wall("└", "┴", "┘", count);
}

}  // namespace

std::string core_picture(const Topology& topology, const placement::CoreClass& kind) {
  std::vector<Box> boxes;
  std::array<bool, 4> wanted{};
  std::vector<int> drawn;
  for (const base::Cpu& cpu : topology.machine.cpus) {
    const auto in_kind = std::find(kind.cpus.begin(), kind.cpus.end(), cpu.number);
    if (in_kind == kind.cpus.end() || any_of({cpu.number}, drawn)) continue;
    std::vector<int> threads;  // that are online
    for (const int sibling : cpu.siblings) {
      if (any_of({sibling}, kind.cpus)) threads.push_back(sibling);
    }
    if (threads.empty()) threads = {cpu.number};
    drawn.insert(drawn.end(), threads.begin(), threads.end());
    boxes.push_back(box_of(topology, cpu, threads));
    for (std::size_t line = 0; line < wanted.size(); ++line) {
      wanted[line] = wanted[line] || !boxes.back()[line].empty();
    }
  }
  std::string text;
  for (std::size_t at = 0; at < boxes.size(); at += kBoxesPerRow) {
    text += row_of(&boxes[at], std::min(kBoxesPerRow, boxes.size() - at), wanted);
  }
  return text;
}

}  // namespace cli
