// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/helper_request.h"

#include <vector>

#include "base/interface_name.h"
#include "base/printable.h"
#include "base/text.h"
#include "ovpn/host_words.h"

namespace hostnet {
namespace {

constexpr std::string_view kSet = "set-name-servers", kUndo = "undo-name-servers", kAsk = "ask";
constexpr std::string_view kWholeMachine = "whole-machine", kLinkOnly = "link-only";
constexpr std::string_view kSeen = "seen", kUnseen = "unseen";
constexpr std::string_view kYes = "yes", kNo = "no";

using Lines = std::vector<std::string_view>;

std::string line(std::string_view key, std::string_view value) {
  return std::string(key) + " " + std::string(value) + "\n";
}

std::string text_of(const SetNameServers& set) {
  std::string text = line(kSet, set.device);
  text += std::string(set.whole_machine ? kWholeMachine : kLinkOnly) + "\n";
  for (const DnsServerPlan& server : set.plan.servers) {
    text += line("server", server.address.to_string() + " " + std::to_string(server.port));
  }
  for (const std::string& domain : set.plan.search) text += line("search", domain);
  for (const std::string& domain : set.plan.routing) text += line("routing", domain);
  if (set.plan.all_names) text += line("all-names", *set.plan.all_names ? kYes : kNo);
  return text;
}
std::string text_of(const UndoNameServers& undo) { return line(kUndo, undo.device); }
std::string text_of(const AskPerson& ask) {
  return line(kAsk, ask.echo ? kSeen : kUnseen) + ask.text + "\n";
}

bool add_domain(std::string_view domain, std::vector<std::string>& to) {
  if (to.size() >= kHelperDomainsMax || !ovpn::is_domain(domain)) return false;
  to.emplace_back(domain);
  return true;
}

bool add_server(std::string_view address_text, std::string_view port_text, DnsPlan& plan) {
  const auto address = base::IpAddress::parse(address_text);
  const auto port = base::parse_number<std::uint16_t>(port_text);
  if (!address || !port || plan.servers.size() >= kHelperServersMax) return false;
  plan.servers.push_back({*address, *port});
  return true;
}

bool add(std::string_view text, DnsPlan& plan) {
  const Lines words = base::split_words(text);
  if (words.size() == 3 && words[0] == "server") return add_server(words[1], words[2], plan);
  if (words.size() != 2) return false;
  if (words[0] == "search") return add_domain(words[1], plan.search);
  if (words[0] == "routing") return add_domain(words[1], plan.routing);
  if (words[0] != "all-names") return false;
  plan.all_names = words[1] == kYes;
  return true;
}

std::optional<HelperRequest> read_set(std::string_view device, const Lines& lines) {
  SetNameServers set;
  set.device = device;
  if (lines.size() < 2) return std::nullopt;
  set.whole_machine = lines[1] == kWholeMachine;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    if (!add(lines[i], set.plan)) return std::nullopt;
  }
  if (set.plan.servers.empty()) return std::nullopt;
  return set;
}

std::optional<HelperRequest> read_ask(std::string_view echo, const Lines& lines) {
  if (lines.size() != 2 || lines[1].empty() || lines[1].size() > kQuestionBytesMax) {
    return std::nullopt;
  }
  const std::string text(lines[1]);
  if (base::printable_line(text) != text) return std::nullopt;
  return AskPerson{text, echo == kSeen};
}

std::optional<HelperRequest> read(const Lines& lines) {
  const Lines head = base::split_words(lines.front());
  if (head.size() != 2) return std::nullopt;
  if (head[0] == kAsk) return read_ask(head[1], lines);
  if (!base::is_interface_name(head[1])) return std::nullopt;
  if (head[0] == kSet) return read_set(head[1], lines);
  if (head[0] != kUndo || lines.size() != 1) return std::nullopt;
  return UndoNameServers{std::string(head[1])};
}

}  // namespace

std::string format_request(const HelperRequest& request) {
  return std::visit([](const auto& kind) { return text_of(kind); }, request);
}

std::optional<HelperRequest> parse_request(std::string_view packet) {
  if (packet.empty() || packet.size() > kHelperPacketBytesMax || !packet.ends_with('\n')) {
    return std::nullopt;
  }
  auto request = read(base::split(packet.substr(0, packet.size() - 1), '\n'));
  // One spelling of each request: no second order, doubled line, other blank or leading zero.
  if (request && format_request(*request) != packet) return std::nullopt;
  return request;
}

}  // namespace hostnet
