// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/own_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace engine {
namespace {

constexpr std::array<std::string_view, 10> kNames{"acknowledge-cleartext",
                                                  "ask",
                                                  "clock-wait",
                                                  "credentials-file",
                                                  "crypto-library",
                                                  "dns",
                                                  "ready",
                                                  "resume",
                                                  "state-dir",
                                                  "threads"};

// `--dns pushed|off|ADDRESS...` is ours; `dns server …` and `dns search-domains …` are OpenVPN's.
bool is_dns_policy(const ovpn::Directive& directive) {
  return directive.name == "dns" && !directive.args.empty() && directive.args[0] != "server" &&
         directive.args[0] != "search-domains";
}

bool is_own(const ovpn::Directive& directive) {
  if (directive.name == "dns") return is_dns_policy(directive);
  return std::find(kNames.begin(), kNames.end(), directive.name) != kNames.end();
}

void read(const ovpn::Directive& d, OwnOptions& options, base::Problems& problems) {
  const std::size_t wanted = d.name == "acknowledge-cleartext" ? 0 : 1;
  if (d.name == "ready" && d.args.size() == 2 && d.args[0] == "connected") {
    const auto seconds = base::parse_number<int>(d.args[1]);
    options.ready = ReadyWhen::kConnected;
    options.ready_limit_seconds = seconds.value_or(0);
    if (seconds && *seconds > 0) return;
    problems.push_back({d.place, "ready: '" + d.args[1] + "' is no number of seconds", {}});
  } else if (d.name == "ask" && (d.args.size() == 1 || d.args.size() == 2)) {
    options.ask_socket = d.args[0];
    if (d.args.size() == 2) options.ask_command = d.args[1];
  } else if (d.name == "dns") {
    const auto policy = read_dns_policy(d.args);
    if (policy) {
      options.dns = *policy;
    } else {
      problems.push_back({d.place, "dns: '" + d.args[0] + "' is nothing it knows",
                          "write pushed, off, or addresses of name servers"});
    }
  } else if (d.args.size() != wanted) {
    problems.push_back({d.place, d.name + ": takes " + std::to_string(wanted) + " argument", {}});
  } else if (d.name == "acknowledge-cleartext") {
    options.acknowledge_cleartext = true;
  } else if (d.name == "state-dir") {
    options.state_dir = d.args[0];
  } else if (d.name == "credentials-file") {
    options.credentials_file = d.args[0];
  } else if (d.name == "crypto-library") {
    options.crypto = d.args[0] == "openssl" ? CryptoLibrary::kOpenSsl : CryptoLibrary::kAuto;
    if (d.args[0] == "openssl" || d.args[0] == "auto") return;
    problems.push_back(
        {d.place, "crypto-library: '" + d.args[0] + "' is not known", "write auto or openssl"});
  } else if (d.name == "resume") {
    options.resume = d.args[0] != "off";
    if (d.args[0] == "on" || d.args[0] == "off") return;
    problems.push_back({d.place, "resume: '" + d.args[0] + "' is not known", "write on or off"});
  } else if (d.name == "clock-wait") {
    const auto seconds = base::parse_number<int>(d.args[0]);
    const bool fits = seconds && *seconds >= 1 && *seconds <= kClockWaitSecondsMax;
    options.clock_wait_seconds = fits ? *seconds : 0;
    if (fits || d.args[0] == "off") return;
    problems.push_back({d.place, "clock-wait: '" + d.args[0] + "' is no number of seconds",
                        "write off, or 1 to " + std::to_string(kClockWaitSecondsMax)});
  } else if (d.name == "threads") {
    const auto threads = base::parse_number<std::size_t>(d.args[0]);
    const bool fits = threads && *threads >= 1 && *threads <= kThreadsMax;
    options.threads = fits ? *threads : 0;
    if (fits || d.args[0] == "auto") return;
    problems.push_back({d.place, "threads: '" + d.args[0] + "' is no number that can be",
                        "write auto, or 1 to " + std::to_string(kThreadsMax)});
  } else if (d.args[0] == "started" || d.args[0] == "connected") {
    options.ready = d.args[0] == "started" ? ReadyWhen::kStarted : ReadyWhen::kConnected;
  } else {
    problems.push_back(
        {d.place, "ready: '" + d.args[0] + "' is not known", "write started or connected"});
  }
}

}  // namespace

OwnOptions take_own_options(ovpn::Profile& profile, base::Problems& problems) {
  OwnOptions options;
  for (const ovpn::Directive& directive : profile.directives) {
    if (is_own(directive)) read(directive, options, problems);
  }
  std::erase_if(profile.directives, is_own);
  return options;
}

}  // namespace engine
