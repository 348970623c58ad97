// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/journal.h"

#include <net/if.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace hostnet {
namespace {

constexpr std::string_view kHead = "tunctl-journal 1 ";
using Words = std::vector<std::string_view>;

std::string text_of(const SetUp& step) { return "up " + step.device; }

std::string text_of(const SetAddress& step) {
  std::string text = "address " + step.address.local.to_string();
  if (step.address.peer) text += " peer " + step.address.peer->to_string();
  return text + " dev " + step.device;
}

std::string text_of(const SetRoute& step) {
  const RoutePlan& route = step.route;
  std::string text = "route " + route.destination.to_string();
  if (route.unreachable) text += " unreachable";
  if (route.gateway) text += " via " + route.gateway->to_string();
  if (!route.device.empty()) text += " dev " + route.device;
  if (route.metric) text += " metric " + std::to_string(*route.metric);
  return text;
}

std::string text_of(const SetMtu& step) {
  return "mtu " + step.device + " " + std::to_string(step.before);
}

std::string text_of(const SetQueue& step) {
  return "txqueuelen " + step.device + " " + std::to_string(step.before);
}

bool is_device(std::string_view name) {
  return !name.empty() && name.size() < IF_NAMESIZE && name.find('/') == std::string_view::npos;
}

// Pairs of a word and its value behind the first two words.
bool read_pairs(const Words& words, std::size_t from, RoutePlan& route,
                std::optional<base::IpAddress>& peer) {
  for (std::size_t i = from; i < words.size(); ++i) {
    if (words[i] == "unreachable") {
      route.unreachable = true;
      continue;
    }
    if (i + 1 >= words.size()) return false;
    const std::string_view name = words[i], value = words[++i];
    if (name == "dev" && is_device(value)) {
      route.device = value;
    } else if (name == "metric") {
      route.metric = base::parse_number<std::uint32_t>(value);
      if (!route.metric) return false;
    } else if (name == "via" || name == "peer") {
      auto& to = name == "via" ? route.gateway : peer;
      to = base::IpAddress::parse(value);
      if (!to || to->family() != route.destination.address.family()) return false;
    } else {
      return false;
    }
  }
  return true;
}

std::optional<Step> number_step(const Words& words) {
  if (words.size() != 3 || !is_device(words[1])) return std::nullopt;
  const auto before = base::parse_number<int>(words[2]);
  if (!before || *before < 0) return std::nullopt;
  const std::string device(words[1]);
  return words[0] == "mtu" ? Step(SetMtu{device, *before}) : Step(SetQueue{device, *before});
}

std::optional<Step> step_of(std::string_view line) {
  const Words words = base::split_words(line);
  if (words.size() < 2) return std::nullopt;
  if (words[0] == "up" && words.size() == 2 && is_device(words[1])) {
    return SetUp{std::string(words[1])};
  }
  if (words[0] == "mtu" || words[0] == "txqueuelen") return number_step(words);
  const auto prefix = base::Prefix::parse(words[1]);
  RoutePlan route;
  std::optional<base::IpAddress> peer;
  if (!prefix) return std::nullopt;
  route.destination = *prefix;
  if (!read_pairs(words, 2, route, peer)) return std::nullopt;
  if (words[0] == "route") return SetRoute{route};
  if (words[0] != "address" || route.device.empty()) return std::nullopt;
  return SetAddress{route.device, {*prefix, peer}};
}

}  // namespace

std::string to_string(const Step& step) {
  return std::visit([](const auto& what) { return text_of(what); }, step);
}

std::string format_journal(std::string_view boot, const Steps& steps) {
  std::string text = std::string(kHead) + std::string(boot) + "\n";
  for (const Step& step : steps) text += to_string(step) + "\n";
  return text;
}

Steps parse_journal(std::string_view boot, std::string_view text) {
  Steps steps;
  const auto lines = base::split(text, '\n');
  if (lines[0] != std::string(kHead) + std::string(boot)) return steps;
  for (const std::string_view line : lines) {
    if (auto step = step_of(line)) steps.push_back(std::move(*step));
  }
  return steps;
}

std::string boot_id() {
  const auto text = base::read_file("/proc/sys/kernel/random/boot_id");
  return text ? std::string(base::trim(*text)) : std::string();
}

Steps JournalFile::load() const {
  if (file_.empty()) return {};
  const auto text = base::read_file(file_);
  return text ? parse_journal(boot_, *text) : Steps{};
}

std::string JournalFile::save(const Steps& steps) {
  if (file_.empty()) return {};
  const std::string text = steps.empty() ? std::string() : format_journal(boot_, steps);
  if (text == saved_ && !text.empty()) return {};
  saved_ = text;
  if (!text.empty()) return base::write_file_atomically(file_, text, 0600);
  if (::unlink(file_.c_str()) == 0 || errno == ENOENT) return {};
  return base::errno_text("cannot remove " + file_, errno);
}

}  // namespace hostnet
