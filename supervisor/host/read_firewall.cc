// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/read_firewall.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/tree_reader.h"

namespace host {
namespace {

using nlohmann::json;

constexpr int kLimitMs = 3000;
constexpr std::size_t kRulesetMax = std::size_t{8} << 20;
constexpr unsigned kPortMax = 65535;

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

class RulesetReader {
 public:
  std::optional<Firewall> read(const json& whole) {
    const auto list = whole.find("nftables");
    if (list == whole.end() || !list->is_array()) return std::nullopt;
    for (const json& item : *list) {
      if (!item.is_object()) continue;
      if (const auto chain = item.find("chain"); chain != item.end()) take_chain(*chain);
      if (const auto rule = item.find("rule"); rule != item.end()) take_rule(*rule);
    }
    for (auto& gate : firewall_.gates) {
      gate.opaque = opaque_[gate.chain.substr(0, gate.chain.rfind(' '))];
    }
    return std::move(firewall_);
  }

 private:
  static std::string name_of(const json& at, const char* chain) {
    return text_of(at, "family") + " " + text_of(at, "table") + " " + text_of(at, chain);
  }

  void take_chain(const json& chain) {
    const std::string hook = text_of(chain, "hook");
    if (!chain.is_object() || text_of(chain, "type") != "filter") return;
    if (hook != "input" && hook != "forward") return;
    firewall_.gates.push_back({name_of(chain, "name"), hook, text_of(chain, "policy") == "drop"});
  }

  void take_rule(const json& rule) {
    const auto expressions = rule.find("expr");
    if (!rule.is_object() || expressions == rule.end() || !expressions->is_array()) return;
    const std::string chain = name_of(rule, "chain");
    bool accepts = false, refuses = false;
    std::size_t conditions = 0;
    for (const json& each : *expressions) {
      if (!each.is_object()) continue;
      accepts = accepts || each.contains("accept");
      refuses = refuses || each.contains("drop") || each.contains("reject");
      // What iptables calls a match or a target, and nft only knows by name.
      if (each.contains("xt"))
        opaque_[text_of(rule, "family") + " " + text_of(rule, "table")] = true;
      if (each.contains("match") || each.contains("xt") || each.contains("limit")) ++conditions;
    }
    if (refuses && conditions == 0) close(chain);
    if (accepts) {
      for (const json& each : *expressions) take_match(each);
    }
  }

  void close(const std::string& chain) {
    for (auto& gate : firewall_.gates) gate.closed = gate.closed || gate.chain == chain;
  }

  void take_match(const json& expression) {
    if (!expression.is_object()) return;
    const auto match = expression.find("match");
    if (match == expression.end() || !match->is_object()) return;
    const std::string operation = text_of(*match, "op");
    const auto left = match->find("left"), right = match->find("right");
    if (left == match->end() || right == match->end() || !left->is_object()) return;
    if (operation != "==" && operation != "in") return;
    if (const auto payload = left->find("payload"); payload != left->end()) {
      if (text_of(*payload, "field") != "dport") return;
      const std::string protocol = text_of(*payload, "protocol");
      if (protocol == "udp" || protocol == "th") take_ports(*right, firewall_.udp_ports);
      if (protocol == "tcp" || protocol == "th") take_ports(*right, firewall_.tcp_ports);
    }
    if (const auto meta = left->find("meta"); meta != left->end()) {
      const std::string key = text_of(*meta, "key");
      if (key == "iifname" || key == "oifname") take_names(*right);
    }
  }

  using Ports = std::vector<std::pair<std::uint16_t, std::uint16_t>>;
  static std::optional<std::uint16_t> port(const json& value) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kPortMax) return std::nullopt;
    return value.get<std::uint16_t>();
  }

  static void take_ports(const json& right, Ports& ports) {
    if (const auto single = port(right)) ports.emplace_back(*single, *single);
    if (!right.is_object()) return;
    if (const auto range = right.find("range"); range != right.end()) {
      if (!range->is_array() || range->size() != 2) return;
      const auto from = port((*range)[0]), to = port((*range)[1]);
      if (from && to) ports.emplace_back(*from, *to);
    }
    if (const auto set = right.find("set"); set != right.end() && set->is_array()) {
      for (const json& each : *set) take_ports(each, ports);
    }
  }

  void take_names(const json& right) {
    if (right.is_string()) firewall_.interfaces.push_back(right.get<std::string>());
    if (!right.is_object()) return;
    if (const auto set = right.find("set"); set != right.end() && set->is_array()) {
      for (const json& each : *set) take_names(each);
    }
  }

  Firewall firewall_;
  std::map<std::string, bool> opaque_;  // by table
};

}  // namespace

std::optional<Firewall> parse_ruleset(std::string_view text) {
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_object()) return std::nullopt;
  return RulesetReader().read(whole);
}

std::optional<Firewall> read_firewall() {
  std::optional<Firewall> firewall;
  if (const std::string program = find_tool("nft"); !program.empty()) {
    ChildOptions options;
    options.program = program;
    options.arguments = {"-j", "list", "ruleset"};
    const auto text = output_of(options, kLimitMs, kRulesetMax);
    if (text) firewall = parse_ruleset(*text);
  }
  for (const char* list : {"/proc/net/ip_tables_names", "/proc/net/ip6_tables_names"}) {
    const std::string tables = TreeReader("").text(list);
    if (base::split_words(tables).empty()) continue;
    if (!firewall) firewall.emplace();
    for (const char* hook : {"input", "forward"}) {
      firewall->gates.push_back({"iptables-legacy", hook, false, true});
    }
  }
  return firewall;
}

}  // namespace host
