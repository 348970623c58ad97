// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/lexer.h"
#include "ovpn/value_errors.h"

namespace ovpn {
namespace {

// A number that a directive takes. Stock reads "abc" as 0; we say so.
struct NumberRule {
  std::string_view name;
  std::size_t index;
  std::int64_t min;
  std::int64_t max;
};
constexpr std::int64_t kSecondsMax = 0x7fffffff;
constexpr NumberRule kNumbers[] = {
    {"tun-mtu", 0, 100, 65535},
    {"link-mtu", 0, 100, 65535},
    {"udp-mtu", 0, 100, 65535},
    {"ping", 0, 0, kSecondsMax},
    {"ping-exit", 0, 0, kSecondsMax},
    {"ping-restart", 0, 0, kSecondsMax},
    {"keepalive", 0, 1, kSecondsMax},
    {"keepalive", 1, 1, kSecondsMax},
    {"inactive", 0, 0, kSecondsMax},
    {"inactive", 1, 0, std::numeric_limits<std::int64_t>::max()},
    {"resolv-retry", 0, 0, kSecondsMax},
    {"route", 3, 0, kSecondsMax},
    {"route-ipv6", 2, 0, kSecondsMax},
    {"replay-window", 0, 0, 65536},
    {"replay-window", 1, 0, 600},
    {"explicit-exit-notify", 0, 0, kSecondsMax},
    {"fragment", 0, 68, 65535},
    {"mssfix", 0, 0, 65535},
    {"sndbuf", 0, 0, kSecondsMax},
    {"rcvbuf", 0, 0, kSecondsMax},
    {"txqueuelen", 0, 0, kSecondsMax},
    {"mark", 0, 0, 0xffffffff},
    {"verb", 0, 0, 15},
    {"mute", 0, 0, kSecondsMax},
    {"nice", 0, -20, 19},
    {"status-version", 0, 1, 3},
    {"status", 1, 0, kSecondsMax},
    {"script-security", 0, 0, 3},
    {"connect-retry", 0, 1, kSecondsMax},
    {"connect-retry", 1, 1, kSecondsMax},
    {"route-metric", 0, 0, kSecondsMax},
    {"route-delay", 0, 0, kSecondsMax},
    {"route-delay", 1, 0, kSecondsMax},
    {"keysize", 0, 8, 512},
    {"connect-retry-max", 0, 0, kSecondsMax},
    {"connect-timeout", 0, 1, kSecondsMax},
    {"server-poll-timeout", 0, 1, kSecondsMax},
    {"reneg-sec", 0, 0, kSecondsMax},
    {"reneg-sec", 1, 0, kSecondsMax},
    {"reneg-bytes", 0, 0, std::numeric_limits<std::int64_t>::max()},
    {"reneg-pkts", 0, 0, std::numeric_limits<std::int64_t>::max()},
    {"tran-window", 0, 1, kSecondsMax},
    {"hand-window", 0, 1, kSecondsMax},
    {"tls-timeout", 0, 1, 3600},
    {"max-packet-size", 0, 154, 2048},  // TLS_CHANNEL_MTU_MIN
};

// Words that stand in a number's place.
struct WordRule {
  std::string_view name;
  std::string_view word;
};
constexpr WordRule kWords[] = {
    {"connect-retry-max", "unlimited"}, {"resolv-retry", "infinite"}, {"route", "default"},
    {"route-ipv6", "default"},          {"route-metric", "default"},
};

struct ChoiceRule {
  std::string_view name;
  std::size_t index;
  std::string_view choices;  // separated by blanks
};
constexpr std::string_view kProtos =
    "udp udp4 udp6 tcp tcp4 tcp6 tcp-client tcp4-client tcp6-client tcp-server "
    "tcp4-server tcp6-server";
constexpr ChoiceRule kChoices[] = {
    {"key-direction", 0, "0 1"},
    {"comp-lzo", 0, "yes no adaptive"},
    {"compress", 0, "stub stub-v2 lzo lz4 lz4-v2 migrate"},
    {"mode", 0, "p2p server"},
    {"topology", 0, "net30 p2p subnet"},
    {"mtu-disc", 0, "yes no maybe"},
    {"remap-usr1", 0, "SIGHUP SIGTERM"},
    {"allow-compression", 0, "yes no asym"},
    {"fragment", 1, "mtu"},
    {"mssfix", 1, "mtu fixed"},
    {"bind", 0, "ipv6only"},
    {"secret", 1, "0 1"},
    {"remote", 2, kProtos},
    {"proto-force", 0, kProtos},
    {"proto", 0, kProtos},
    {"auth-retry", 0, "none nointeract interact"},
    {"crl-verify", 1, "dir"},
    {"ns-cert-type", 0, "server client"},
    {"pull-filter", 0, "accept ignore reject"},
    {"remote-cert-tls", 0, "server client"},
    {"static-challenge", 1, "0 1"},
    {"static-challenge", 2, "scrv1 concat"},
    {"tls-cert-profile", 0, "legacy preferred suiteb insecure"},
    {"verify-x509-name", 1, "subject name name-prefix"},
};

bool is_one_of(std::string_view choices, std::string_view value) {
  for (const std::string_view choice : base::split_words(choices)) {
    if (choice == value) return true;
  }
  return false;
}

// setsockopt's mark is often written in hexadecimal, as in firewall rules.
std::optional<std::int64_t> value_of(const NumberRule& rule, std::string_view text) {
  if (rule.name != "mark" || !text.starts_with("0x")) {
    return base::parse_number<std::int64_t>(text);
  }
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 2, end, value, 16);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

bool is_word_for(std::string_view name, std::string_view text) {
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](const WordRule& rule) { return rule.name == name && rule.word == text; });
}

void check_number(const Directive& directive, const NumberRule& rule, base::Problems& problems) {
  const std::string& text = directive.args[rule.index];
  const auto number = value_of(rule, text);
  if (is_word_for(directive.name, text)) return;
  if (number && *number >= rule.min && *number <= rule.max) return;
  problems.push_back(
      {directive.place, "'" + directive.name + "' cannot be '" + text + "'",
       "write a number from " + std::to_string(rule.min) + " to " + std::to_string(rule.max)});
}

void check_choice(const Directive& directive, const ChoiceRule& rule, base::Problems& problems) {
  const std::string& text = directive.args[rule.index];
  if (is_one_of(rule.choices, text)) return;
  const std::string what = directive.name == "secret"   ? "the key direction"
                           : directive.name == "remote" ? "the protocol of 'remote'"
                           : rule.index > 0             ? "a word of '" + directive.name + "'"
                                                        : "'" + directive.name + "'";
  problems.push_back({directive.place, what + " cannot be '" + text + "'",
                      "write one of: " + std::string(rule.choices)});
}

// The only flag there is.
void check_socket_flags(const Directive& directive, base::Problems& problems) {
  for (const std::string& flag : directive.args) {
    if (flag == "TCP_NODELAY") continue;
    problems.push_back(
        {directive.place, "'socket-flags' cannot be '" + flag + "'", "write TCP_NODELAY"});
  }
}

void check_values(const Directive& directive, base::Problems& problems) {
  if (directive.name == "socket-flags") check_socket_flags(directive, problems);
  for (const NumberRule& rule : kNumbers) {
    if (rule.name == directive.name && rule.index < directive.args.size()) {
      check_number(directive, rule, problems);
    }
  }
  for (const ChoiceRule& rule : kChoices) {
    if (rule.name == directive.name && rule.index < directive.args.size()) {
      check_choice(directive, rule, problems);
    }
  }
}

}  // namespace

void find_number_errors(const Profile& profile, base::Problems& problems) {
  for (const Directive& directive : profile.directives) {
    if (problems.size() >= base::kProblemsMax) return;
    check_values(directive, problems);
    if (directive.name != "connection") continue;
    for (const Directive& inner : lex_block(directive).profile.directives) {
      check_values(inner, problems);
    }
  }
}

}  // namespace ovpn
