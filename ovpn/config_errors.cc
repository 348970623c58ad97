// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <utility>

#include "base/interface_name.h"
#include "base/ip.h"
#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/directive_table.h"
#include "ovpn/native_support.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"

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
    {"ping", 0, 0, kSecondsMax},
    {"ping-exit", 0, 0, kSecondsMax},
    {"ping-restart", 0, 0, kSecondsMax},
    {"keepalive", 0, 1, kSecondsMax},
    {"keepalive", 1, 1, kSecondsMax},
    {"inactive", 0, 0, kSecondsMax},
    {"replay-window", 0, 0, 65536},
    {"replay-window", 1, 0, 600},
    {"explicit-exit-notify", 0, 0, kSecondsMax},
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
    {"resolv-retry", 0, 0, kSecondsMax},
};

struct ChoiceRule {
  std::string_view name;
  std::size_t index;
  std::string_view choices;  // separated by blanks
};
constexpr ChoiceRule kChoices[] = {
    {"key-direction", 0, "0 1"},
    {"comp-lzo", 0, "yes no adaptive"},
    {"compress", 0, "stub stub-v2 lzo lz4 lz4-v2 migrate"},
    {"mode", 0, "p2p server"},
    {"topology", 0, "net30 p2p subnet"},
    {"mtu-disc", 0, "yes no maybe"},
    {"remap-usr1", 0, "SIGHUP SIGTERM"},
    {"allow-compression", 0, "yes no asym"},
    {"proto", 0,
     "udp udp4 udp6 tcp tcp4 tcp6 tcp-client tcp4-client tcp6-client tcp-server "
     "tcp4-server tcp6-server"},
    {"bind", 0, "ipv6only"},
    {"mssfix", 1, "mtu fixed"},
};

bool is_one_of(std::string_view choices, std::string_view value) {
  for (const std::string_view choice : base::split_words(choices)) {
    if (choice == value) return true;
  }
  return false;
}

class Errors {
 public:
  explicit Errors(const Profile& profile) : profile_(profile), mode_(tunnel_mode(profile)) {}

  base::Problems run() {
    check_values();
    check_device();
    check_mode();
    check_binding();
    check_pings();
    check_addresses();
    check_stock();
    return std::move(problems_);
  }

 private:
  void check_values();
  void check_number(const Directive& directive, const NumberRule& rule);
  void check_device();
  void check_mode();
  void check_static_key();
  void check_null_mode();
  void check_binding();
  void check_pings();
  void check_addresses();
  void check_stock();

  void add(const Directive* at, std::string message, std::string remedy) {
    problems_.push_back(
        {at != nullptr ? at->place : whole_file(), std::move(message), std::move(remedy)});
  }
  base::Place whole_file() const {
    if (profile_.directives.empty()) return {};
    return {profile_.directives.front().place.file, 0, 0};
  }
  // Two that exclude each other; the complaint points at the first.
  void exclude(std::string_view name, std::string_view other, std::string remedy) {
    if (profile_.has(name) && profile_.has(other)) {
      add(profile_.last(name),
          "'" + std::string(name) + "' and '" + std::string(other) + "' exclude each other",
          std::move(remedy));
    }
  }

  const Profile& profile_;
  TunnelMode mode_;
  base::Problems problems_;
};

void Errors::check_number(const Directive& directive, const NumberRule& rule) {
  const auto number = base::parse_number<std::int64_t>(directive.args[rule.index]);
  // setsockopt's mark is often written in hexadecimal.
  if (!number && directive.args[rule.index].starts_with("0x")) return;
  if (directive.name == "connect-retry-max" && directive.args[0] == "unlimited") return;
  if (directive.name == "resolv-retry" && directive.args[0] == "infinite") return;
  if (number && *number >= rule.min && *number <= rule.max) return;
  add(&directive, "'" + directive.name + "' cannot be '" + directive.args[rule.index] + "'",
      "write a number from " + std::to_string(rule.min) + " to " + std::to_string(rule.max));
}

void Errors::check_values() {
  for (const Directive& directive : profile_.directives) {
    if (problems_.size() >= base::kProblemsMax) return;
    for (const NumberRule& rule : kNumbers) {
      if (rule.name == directive.name && rule.index < directive.args.size()) {
        check_number(directive, rule);
      }
    }
    for (const ChoiceRule& rule : kChoices) {
      if (rule.name != directive.name || rule.index >= directive.args.size() ||
          is_one_of(rule.choices, directive.args[rule.index])) {
        continue;
      }
      add(&directive, "'" + directive.name + "' cannot be '" + directive.args[rule.index] + "'",
          "write one of: " + std::string(rule.choices));
    }
    if (directive.name == "secret" && directive.args.size() > 1 &&
        !is_one_of("0 1", directive.args[1])) {
      add(&directive, "the key direction cannot be '" + directive.args[1] + "'", "write 0 or 1");
    }
  }
}

void Errors::check_device() {
  if (!profile_.has("dev")) {
    add(nullptr, "there is no 'dev'", "write 'dev tun' or 'dev tunN'");
  } else if (mode_ != TunnelMode::kTls && device_type(profile_) == DeviceType::kUnknown) {
    add(profile_.last("dev"), "'" + profile_.arg("dev").value_or("") + "' does not tell its type",
        "add 'dev-type tun'");
  }
  // No kernel takes such a name, and as a part of a path it would lead elsewhere.
  const auto name = profile_.arg("dev");
  if (name && !base::is_interface_name(*name)) {
    add(profile_.last("dev"), "'" + *name + "' is no interface name",
        "write 'dev tun', or at most 15 characters without '/', ':', '%' and blanks");
  }
}

void Errors::check_mode() {
  if (const Directive* tls = tls_directive(profile_)) {
    if (profile_.has("secret")) {
      add(profile_.last("secret"), "'secret' together with '" + tls->name + "'",
          "keep one of them: a static key or TLS");
    }
    exclude("tls-client", "tls-server", "keep the role of this end");
    exclude("client", "server", "keep the role of this end");
  } else if (mode_ == TunnelMode::kStaticKey) {
    check_static_key();
  } else if (!profile_.has("config")) {  // an include not yet read may hold the key
    check_null_mode();
  }
  exclude("replay-window", "no-replay", "remove 'no-replay'");
  const auto keysize = base::parse_number<int>(profile_.arg("keysize").value_or(""));
  const CipherName* cipher = configured_cipher(profile_);
  if (mode_ != TunnelMode::kTls && keysize && cipher != nullptr &&
      *keysize != 8 * cipher->key_bytes) {
    add(profile_.last("keysize"),
        "'keysize " + std::to_string(*keysize) + "' does not fit " + std::string(cipher->name),
        "remove the line");
  }
}

void Errors::check_static_key() {
  const CipherName* cipher = configured_cipher(profile_);
  if (cipher == nullptr || cipher->mode == CipherMode::kNone || cipher->mode == CipherMode::kCbc) {
    return;
  }
  add(profile_.last("cipher"),
      "a static key cannot be used with " + std::string(cipher->name) + ", only with CBC ciphers",
      "write 'cipher AES-256-CBC' at both ends");
}

void Errors::check_null_mode() {
  const auto none = [this](std::string_view name) {
    return base::equals_ignoring_case(profile_.arg(name).value_or(""), "none");
  };
  if (none("cipher") && none("auth")) return;
  const Directive* at = none("cipher") ? nullptr : profile_.last("cipher");
  add(at, "there is neither 'secret' nor TLS, and not both 'cipher none' and 'auth none'",
      "write 'secret FILE', or both of them to send clear text on purpose");
}

void Errors::check_binding() {
  for (const std::string_view name : {"lport", "local", "bind"}) {
    exclude(name, "nobind", "remove one of them");
  }
  const bool needs_remote =
      profile_.has("nobind") || profile_.has("client") || profile_.has("pull");
  // A connection block that stock drops for want of a remote is no remote either.
  if (needs_remote && remote_list(profile_).empty() && !profile_.has("config")) {
    const Directive* at = profile_.last("nobind");
    for (const std::string_view name : {"pull", "client"}) {
      if (at == nullptr) at = profile_.last(name);
    }
    add(at, "'" + at->name + "' without 'remote'", "write 'remote HOST'");
  }
  if (remote_list(profile_).size() > kRemotesMax) {
    add(profile_.last("remote"), "more than " + std::to_string(kRemotesMax) + " remotes",
        "write fewer");
  }
  const std::string proto = config_proto(profile_);
  if (mode_ != TunnelMode::kTls && is_one_of("tcp tcp4 tcp6", proto)) {
    add(profile_.last("proto"), "'proto " + proto + "' does not say who calls whom",
        "write '" + proto + "-client' or '" + proto + "-server'");
  }
}

void Errors::check_pings() {
  const Directive* keepalive = profile_.last("keepalive");
  if (keepalive == nullptr) return;
  for (const std::string_view name : {"ping", "ping-restart", "ping-exit"}) {
    exclude("keepalive", name, "keep 'keepalive' alone");
  }
  const auto ping = base::parse_number<std::int64_t>(profile_.arg("keepalive", 0).value_or(""));
  const auto restart = base::parse_number<std::int64_t>(profile_.arg("keepalive", 1).value_or(""));
  if (ping && restart && *restart < 2 * *ping) {
    add(keepalive, "the second number of 'keepalive' must be at least twice the first",
        "write 'keepalive " + std::to_string(*ping) + " " + std::to_string(*ping * 6) + "'");
  }
}

void Errors::check_addresses() {
  if (const Directive* ifconfig = profile_.last("ifconfig"); ifconfig != nullptr) {
    for (const std::string& address : ifconfig->args) {
      const auto parsed = base::IpAddress::parse(address);
      if (parsed && parsed->is_v4()) continue;
      add(ifconfig, "'" + address + "' is not an IPv4 address", "write 'ifconfig LOCAL REMOTE'");
    }
    if (ifconfig->args.size() == 2 && ifconfig->args[0] == ifconfig->args[1]) {
      add(ifconfig, "both addresses of 'ifconfig' are the same",
          "write this end's first, then the far end's");
    }
  }
  const Directive* ipv6 = profile_.last("ifconfig-ipv6");
  for (std::size_t i = 0; ipv6 != nullptr && i < ipv6->args.size(); ++i) {
    const auto prefix = base::Prefix::parse(ipv6->args[i]);
    if (prefix && !prefix->address.is_v4()) continue;
    add(ipv6, "'" + ipv6->args[i] + "' is not an IPv6 address",
        "write 'ifconfig-ipv6 LOCAL/BITS REMOTE'");
  }
}

// A line that only the native engine may pass over is an error where only stock can run the config.
void Errors::check_stock() {
  const base::Problems gaps = native_gaps(profile_);
  if (gaps.empty()) return;
  for (const Directive& directive : profile_.directives) {
    const DirectiveRow* row = find_row(directive.name);
    if (row == nullptr || row->native == NativeUse::kRemoved || row->stock_until >= 6) continue;
    add(&directive,
        "OpenVPN 2.6 on Linux refuses '" + directive.name + "', and this config needs it (" +
            gaps.front().message + ")",
        "remove the line");
  }
}

}  // namespace

base::Problems config_errors(const Profile& profile) { return Errors(profile).run(); }

}  // namespace ovpn
