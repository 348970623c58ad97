// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a server pushed: options one a line; a line "--" begins a PUSH_UPDATE.
#include <cstdint>

#include "base/bytes.h"
#include "base/text.h"
#include "fastpath/config/push.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using Options = std::vector<std::string>;

const config::TunnelConfig& file() {
  static const config::TunnelConfig config = [] {
    config::TunnelConfig made;
    made.tls.emplace();
    made.device.name = "tun";
    return made;
  }();
  return config;
}

bool valid_address(const std::string& text) {
  return text.empty() || base::IpAddress::parse(text).has_value();
}

void check(const config::Pushed& pushed) {
  FUZZ_CHECK(pushed.notes.size() <= config::kPushNotesMax + 1);
  FUZZ_CHECK(pushed.device.routes.size() <= config::kPushRoutesMax);
  FUZZ_CHECK(pushed.device.routes_ipv6.size() <= config::kPushRoutesMax);
  FUZZ_CHECK(pushed.environment.size() <= config::kPushVariablesMax);
  FUZZ_CHECK(pushed.device.dns.servers.size() <= config::kDnsEntriesMax);
  FUZZ_CHECK(pushed.device.mtu >= 100 && pushed.device.mtu <= 1600);
  FUZZ_CHECK(valid_address(pushed.device.ifconfig_local));
  FUZZ_CHECK(valid_address(pushed.device.route_gateway));
  FUZZ_CHECK(pushed.device.name == "tun");
}

void apply(const Options& options) {
  const auto pushed = config::apply_push(file(), options, {});
  if (pushed) check(*pushed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Options options, update;
  bool updating = false;
  for (const std::string_view line : base::split(base::as_text({data, size}), '\n')) {
    if (line == "--") {
      updating = true;
    } else {
      (updating ? update : options).emplace_back(line);
    }
  }
  apply(options);
  const auto next = config::apply_push_update(options, update);
  if (next) apply(*next);
  return 0;
}
