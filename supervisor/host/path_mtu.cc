// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/path_mtu.h"

#include <algorithm>
#include <string>

#include "supervisor/host/child_process.h"

namespace host {
namespace {

constexpr int kSmall = 576;  // RFC 791: every host takes it
constexpr int kClose = 4;    // near enough
constexpr int kLimitMs = 3000;
constexpr int kEchoHeader = 8;
constexpr int kIpv4Header = 20;
constexpr int kIpv6Header = 40;

}  // namespace

std::optional<PathMtu> find_path_mtu(int bytes_max, const MtuProbe& probe) {
  if (probe(std::min(kSmall, bytes_max)) != ProbeOutcome::kAnswered) return std::nullopt;
  // One lost packet is no verdict: what was met with silence is asked again.
  const auto ask = [&probe](int bytes) {
    const ProbeOutcome first = probe(bytes);
    return first == ProbeOutcome::kSilence ? probe(bytes) : first;
  };
  PathMtu found{std::min(kSmall, bytes_max), false};
  ProbeOutcome above = ask(bytes_max);
  if (above == ProbeOutcome::kAnswered) return PathMtu{bytes_max, false};
  int too_large = bytes_max;
  while (too_large - found.bytes > kClose) {
    const int middle = found.bytes + (too_large - found.bytes) / 2;
    const ProbeOutcome outcome = ask(middle);
    if (outcome == ProbeOutcome::kAnswered) {
      found.bytes = middle;
    } else {
      too_large = middle;
      above = outcome;
    }
  }
  found.silent = above == ProbeOutcome::kSilence;
  return found;
}

std::optional<PathMtu> measure_path_mtu(const base::IpAddress& to, int bytes_max) {
  const std::string program = find_tool("ping");
  if (program.empty()) return std::nullopt;
  const int headers = kEchoHeader + (to.is_v4() ? kIpv4Header : kIpv6Header);
  return find_path_mtu(bytes_max, [&](int bytes) {
    ChildOptions options;
    options.program = program;
    options.environment = {{"LC_ALL", "C"}};
    options.arguments = {
        "-n",          "-c", "1", "-W", "0.5", "-M", "do", "-s", std::to_string(bytes - headers),
        to.to_string()};
    const std::string text = output_of(options, kLimitMs).value_or("");
    if (text.find(" bytes from ") != std::string::npos) return ProbeOutcome::kAnswered;
    // A router's word, or this machine's own, which knows already.
    const bool told = text.find("Frag needed") != std::string::npos ||
                      text.find("too big") != std::string::npos ||
                      text.find("too long") != std::string::npos;
    return told ? ProbeOutcome::kTooLarge : ProbeOutcome::kSilence;
  });
}

}  // namespace host
