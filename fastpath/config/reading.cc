// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/reading.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ovpn/value_errors.h"

namespace config {

void Reading::problem(const ovpn::Directive& at, std::string message, std::string remedy) {
  problems.push_back({at.place, at.name + ": " + std::move(message), std::move(remedy)});
}

void Reading::warning(const base::Place& at, std::string message, std::string remedy) {
  config.warnings.push_back({at, std::move(message), std::move(remedy)});
}

std::string word(const ovpn::Directive& directive, std::size_t index) {
  return index < directive.args.size() ? directive.args[index] : std::string();
}

std::optional<std::int64_t> number(Reading& reading, const ovpn::Directive& directive,
                                   std::size_t index, std::int64_t min, std::int64_t max) {
  const std::string text = word(directive, index);
  const auto value = base::parse_number<std::int64_t>(text);
  if (value && *value >= min && *value <= max) return value;
  reading.problem(directive, "'" + text + "' is not a number it takes",
                  "write one from " + std::to_string(min) + " to " + std::to_string(max));
  return std::nullopt;
}

void number_into(Reading& reading, const ovpn::Directive& directive, std::size_t index,
                 std::int64_t min, std::int64_t max, int& to) {
  if (index >= directive.args.size()) return;
  if (const auto value = number(reading, directive, index, min, max)) {
    to = static_cast<int>(*value);
  }
}

bool port_ok(Reading& reading, const ovpn::Directive& directive, const std::string& text) {
  if (ovpn::is_port(text)) return true;
  reading.problem(directive, "'" + text + "' is no port", "write a number from 1 to 65535");
  return false;
}

std::optional<FamilyChoice> family_of(Reading& reading, const ovpn::Directive& directive,
                                      const std::string& proto) {
  // OpenVPN protocol: `tcp6-client` is how it is written, `tcp-client6` an old spelling.
  std::string text = proto;
  for (const std::string_view role : {"-client", "-server"}) {
    const auto at = text.find(role);
    if (text.starts_with("tcp") && at != std::string::npos) text.erase(at, role.size());
  }
  if (text == "udp" || text == "tcp") return FamilyChoice::kAny;
  if (text == "udp4" || text == "tcp4") return FamilyChoice::kIpv4;
  if (text == "udp6" || text == "tcp6") return FamilyChoice::kIpv6;
  reading.problem(directive, "protocol '" + proto + "' is not what the fast path speaks",
                  "write udp, tcp-client or tcp-server, with 4 or 6 behind udp or tcp");
  return std::nullopt;
}

Transport transport_of(const std::string& proto, bool tls_server) {
  if (!proto.starts_with("tcp")) return Transport::kUdp;
  if (proto.find("-server") != std::string::npos) return Transport::kTcpServer;
  if (proto.find("-client") != std::string::npos) return Transport::kTcpClient;
  return tls_server ? Transport::kTcpServer : Transport::kTcpClient;
}

ConfigFile file_of(Reading& reading, const ovpn::Directive& directive, std::size_t index) {
  if (directive.body) return {"[inline]", *directive.body, directive.place};
  ConfigFile file{word(directive, index), {}, directive.place};
  if (file.inlined()) {
    reading.problem(directive, "says [inline] but there is no <" + directive.name + "> block",
                    "add the block");
  }
  return file;
}

}  // namespace config
