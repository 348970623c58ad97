// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/connecting.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/nat64.h"
#include "ovpn/tunnel_addresses.h"

namespace engine {

using base::LogLevel;
using std::chrono::seconds;

namespace {

// An address that is dead must not keep the next one waiting for long.
constexpr int kNextAddressSeconds = 10;

Steps gave_up() {  // the last word is the reason that was told before
  return {step::Say{LogLevel::kError, "connect-retry-max: nobody answered; giving up"},
          step::End{Ending::kFailed}};
}

std::string out_of_reach(const base::IpAddress& address) {
  return address.to_string() + " is an IPv4 address, this host has a way to IPv6 only";
}

}  // namespace

Connecting::Connecting(const config::LinkConfig& link, std::vector<std::string> inside)
    : walk_(link),
      inside_(std::move(inside)),
      transport_(link.transport),
      resolv_retry_seconds_(link.resolv_retry_seconds) {}

config::Transport Connecting::transport() const {
  return waits() ? transport_ : walk_.current().transport;
}

base::Duration Connecting::connect_patience() const {
  const int limit = remote().connect_timeout_seconds;
  return seconds(walk_.last_address() ? limit : std::min(limit, kNextAddressSeconds));
}

Steps Connecting::begin() {
  to_translate_.clear();
  if (waits()) return {step::UseTargets{}};
  if (!walk_.needs_resolve()) return {step::UseTargets{walk_.targets()}};
  // With a proxy its name is all that has to be known here: it resolves the far end's itself.
  if (remote().proxy) {
    return {step::Resolve{remote().proxy->host, remote().proxy->port, remote().family}};
  }
  return {step::Resolve{remote().host, remote().port, remote().family}};
}

Steps Connecting::resolved(Resolved answer, base::TimePoint now) {
  no_nat64_.clear();
  if (!to_translate_.empty()) return translated(answer);
  leave_out_what_is_inside(answer);
  if (answer.addresses.empty()) return unresolved(answer.problem, now);
  if (answer.out_of_reach && remote().family == config::FamilyChoice::kAny) {
    to_translate_ = std::move(answer.addresses);
    return {step::Resolve{std::string(base::kNat64Name), "0", config::FamilyChoice::kIpv6}};
  }
  Steps steps;
  if (unresolved_since_) steps.push_back(step::TellReason{});
  if (answer.out_of_reach) {
    const std::string why = out_of_reach(answer.addresses.front().address) +
                            ", and the config wants IPv4; `proto` without a 4 would let a NAT64 "
                            "be used";
    steps.push_back(step::Say{LogLevel::kWarning, why});
    steps.push_back(step::TellReason{why});
  }
  for (Step& each : use(std::move(answer.addresses))) steps.push_back(std::move(each));
  return steps;
}

// Only a name can come to this: of an address the config was refused.
void Connecting::leave_out_what_is_inside(Resolved& answer) const {
  for (const base::Endpoint& each : answer.addresses) {
    if (!ovpn::is_tunnel_address(each.address, inside_)) continue;
    answer.problem = "remote " + (remote().proxy ? remote().proxy->host : remote().host) + " is " +
                     each.address.to_string() + ", an address inside of this tunnel too; " +
                     std::string(ovpn::kAddressClashRemedy);
  }
  std::erase_if(answer.addresses, [this](const base::Endpoint& each) {
    return ovpn::is_tunnel_address(each.address, inside_);
  });
}

Steps Connecting::use(std::vector<base::Endpoint> addresses) {
  unresolved_since_.reset();
  walk_.resolved(std::move(addresses));
  return {step::UseTargets{walk_.targets()}};
}

// Without an answer the prefix that was found before is tried once more. Without any the addresses
// are used as they are: a way to them may come.
Steps Connecting::translated(const Resolved& prefix) {
  std::vector<base::IpAddress> answers;
  for (const base::Endpoint& each : prefix.addresses) answers.push_back(each.address);
  const auto before = std::exchange(nat64_, base::nat64_prefix(answers));
  const auto found = nat64_ ? nat64_ : before;
  std::vector<base::Endpoint> addresses = std::exchange(to_translate_, {});
  const base::IpAddress wanted = addresses.front().address;
  Steps steps;
  if (found) {
    for (base::Endpoint& each : addresses) each.address = base::nat64_address(*found, each.address);
    steps.push_back(step::Say{LogLevel::kNotice, wanted.to_string() + " is reached through " +
                                                     found->to_string() +
                                                     ", the NAT64 of this network"});
    if (unresolved_since_) steps.push_back(step::TellReason{});
  } else {
    no_nat64_ = out_of_reach(wanted) + ", and there is no NAT64 (" +
                (prefix.addresses.empty() ? prefix.problem
                                          : std::string(base::kNat64Name) + " holds no prefix") +
                ")";
    steps.push_back(step::Say{LogLevel::kWarning, no_nat64_});
    steps.push_back(step::TellReason{no_nat64_});
  }
  for (Step& each : use(std::move(addresses))) steps.push_back(std::move(each));
  return steps;
}

Steps Connecting::unresolved(const std::string& problem, base::TimePoint now) {
  Steps steps{step::Say{LogLevel::kWarning, problem}, step::TellReason{problem}, step::TellState{}};
  if (walk_.fall_back()) {
    steps.push_back(step::Say{LogLevel::kNotice, "trying the addresses it had before"});
    steps.push_back(step::UseTargets{walk_.targets()});
    return steps;
  }
  if (!unresolved_since_) unresolved_since_ = now;
  const int limit = resolv_retry_seconds_;
  if (limit >= 0 && now - *unresolved_since_ >= seconds(limit)) {
    steps.push_back(step::End{Ending::kFailed, "no remote could be resolved (resolv-retry)"});
    return steps;
  }
  walk_.skip_remote();
  steps.push_back(pause(0));
  return steps;
}

Steps Connecting::stream_failed(const std::optional<base::Endpoint>& target,
                                const std::string& why) {
  const std::string reason = "TCP connection to " + (target ? target->to_string() : "nobody") +
                             " failed: " + why + (no_nat64_.empty() ? "" : "; " + no_nat64_);
  Steps steps{step::Say{LogLevel::kWarning, reason}, step::TellReason{reason}, step::TellState{}};
  if (!walk_.advance()) {
    for (Step& each : gave_up()) steps.push_back(std::move(each));
    return steps;
  }
  steps.push_back(pause(0));
  return steps;
}

Steps Connecting::lost(const RestartWay& way) {
  if (waits() || way.stay || walk_.advance()) return {};
  return gave_up();
}

step::Wake Connecting::pause(int seconds_min) const {
  return {Timer::kPause, std::max<base::Duration>(walk_.pause(), seconds(seconds_min))};
}

}  // namespace engine
