// SPDX-License-Identifier: Apache-2.0
#include "ovpn/options_string.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace ovpn {
namespace {

std::string bracketed_none(const std::string& name, std::string_view null_name) {
  return name == "none" ? std::string(null_name) : name;
}

std::string key_options(const OccValues& values) {
  std::string text;
  if (values.key_direction == KeyDirection::kNormal) text += ",keydir 0";
  if (values.key_direction == KeyDirection::kInverse) text += ",keydir 1";
  text += ",cipher " + bracketed_none(values.cipher, "[null-cipher]");
  text += ",auth " + bracketed_none(values.digest, "[null-digest]");
  text += ",keysize " + std::to_string(8 * values.cipher_key_bytes) + ",secret";
  if (values.no_replay) text += ",no-replay";
  return text;
}

std::string join(const OccValues& values, const std::string& ifconfig) {
  std::string text = "V4,dev-type " + values.dev_type;
  text += ",link-mtu " + std::to_string(values.link_mtu);
  text += ",tun-mtu " + std::to_string(values.tun_mtu);
  text += ",proto " + values.proto;
  if (values.ifconfig_ipv6) text += ",tun-ipv6";
  if (!values.ifconfig_local.empty()) text += ",ifconfig " + ifconfig;
  if (values.framing) text += ",comp-lzo";
  if (values.fragment) text += ",mtu-dynamic";
  if (values.secret) text += key_options(values);
  return text;
}

using Option = std::pair<std::string, std::string>;  // name and value

std::vector<Option> split_options(std::string_view text) {
  std::vector<Option> options;
  for (const std::string_view part : base::split(text, ',')) {
    const auto blank = part.find(' ');
    const auto value = blank == std::string_view::npos ? "yes" : part.substr(blank + 1);
    options.emplace_back(part.substr(0, blank), value);
  }
  return options;
}

std::string value_in(const std::vector<Option>& options, std::string_view name) {
  const auto option = std::find_if(options.begin(), options.end(),
                                   [name](const Option& each) { return each.first == name; });
  return option == options.end() ? "" : option->second;
}

}  // namespace

std::string options_string(const OccValues& values) {
  return join(values, values.ifconfig_remote + " " + values.ifconfig_local);
}

std::string expected_options_string(const OccValues& values) {
  OccValues peer = values;
  if (values.key_direction == KeyDirection::kNormal) peer.key_direction = KeyDirection::kInverse;
  if (values.key_direction == KeyDirection::kInverse) peer.key_direction = KeyDirection::kNormal;
  if (values.proto == "TCPv4_CLIENT") peer.proto = "TCPv4_SERVER";
  if (values.proto == "TCPv4_SERVER") peer.proto = "TCPv4_CLIENT";
  return join(peer, values.ifconfig_local + " " + values.ifconfig_remote);
}

std::vector<OptionDifference> compare_options(std::string_view expected,
                                              std::string_view received) {
  std::vector<OptionDifference> differences;
  if (!received.starts_with("V4")) return differences;
  const auto wanted = split_options(expected);
  const auto given = split_options(received);
  for (const auto& [name, value] : wanted) {
    const std::string other = value_in(given, name);
    if (name != "link-mtu" && other != value) differences.push_back({name, value, other});
  }
  for (const auto& [name, value] : given) {
    if (name == "link-mtu" || !value_in(wanted, name).empty()) continue;
    differences.push_back({name, "", value});
  }
  return differences;
}

std::string to_string(const OptionDifference& difference) {
  const std::string& here = difference.expected;
  const std::string& there = difference.received;
  // Our own view swaps what belongs to the two ends, so these two read better as a demand.
  if (difference.name == "keydir" || difference.name == "ifconfig") {
    const std::string name = difference.name == "keydir" ? "key-direction" : "ifconfig";
    return name + (there.empty() ? " is not set there" : " is " + there + " there") +
           (here.empty() ? " and must not be set to fit here"
                         : " and would have to be " + here + " to fit here");
  }
  if (there.empty()) return difference.name + " is " + here + " here and not set there";
  if (here.empty()) return difference.name + " is " + there + " there and not set here";
  return difference.name + " is " + there + " there and " + here + " here";
}

}  // namespace ovpn
