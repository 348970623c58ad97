// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/interface_name.h"
#include "base/text.h"
#include "ovpn/directive_table.h"
#include "ovpn/native_support.h"
#include "ovpn/profile_file.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/value_errors.h"
#include "ovpn/wipe_blocks.h"

namespace ovpn {
namespace {

bool is_one_of(std::string_view choices, std::string_view value) {
  const auto words = base::split_words(choices);
  return std::find(words.begin(), words.end(), value) != words.end();
}

class Errors {
 public:
  Errors(const Profile& profile, const NativeAbilities& abilities)
      : profile_(profile), abilities_(abilities), mode_(tunnel_mode(profile)) {}

  base::Problems run() {
    find_number_errors(profile_, problems_);
    find_name_errors(profile_, problems_);
    find_host_errors(profile_, problems_);
    find_tls_value_errors(profile_, problems_);
    check_device();
    check_mode();
    check_binding();
    check_protocol();
    check_pings();
    check_sizes();
    check_compression();
    find_address_errors(profile_, problems_);
    check_stock();
    return std::move(problems_);
  }

 private:
  void check_device();
  void check_mode();
  void check_static_key();
  void check_null_mode();
  void check_binding();
  void check_protocol();
  void check_pings();
  void check_sizes();
  void check_compression();
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
  const NativeAbilities& abilities_;
  TunnelMode mode_;
  base::Problems problems_;
};

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
    const base::Problems errors = tls_errors(profile_);
    problems_.insert(problems_.end(), errors.begin(), errors.end());
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
  if (profile_.arg("secret") == "") {
    add(profile_.last("secret"), "'secret' names no file", "write 'secret FILE'");
  }
  const auto secrets = profile_.all("secret");
  const auto is_block = [](const Directive* secret) { return secret->body.has_value(); };
  if (profile_.arg("secret") == "[inline]" &&
      std::none_of(secrets.begin(), secrets.end(), is_block)) {
    add(profile_.last("secret"), "'secret [inline]' without a <secret> block",
        "add the block with the key");
  }
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
  if (profile_.has("bind") && config_proto(profile_).ends_with('4') &&
      profile_.arg("bind") == "ipv6only") {
    add(profile_.last("bind"), "'bind ipv6only' and 'proto udp4' exclude each other",
        "leave one of them out");
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
}

void Errors::check_protocol() {
  const std::string proto = config_proto(profile_);
  const std::vector<Remote> remotes = remote_list(profile_);
  if (mode_ != TunnelMode::kTls && is_one_of("tcp tcp4 tcp6", proto)) {
    add(profile_.last("proto"), "'proto " + proto + "' does not say who calls whom",
        "write '" + proto + "-client' or '" + proto + "-server'");
  }
  if (remotes.empty() && proto.ends_with("-client")) {
    add(profile_.last("proto"), "'proto " + proto + "' without 'remote' has nobody to call",
        "write 'remote HOST', or 'proto " + proto.substr(0, proto.find('-')) + "-server'");
  }
  const std::string forced = profile_.arg("proto-force").value_or("");
  const auto left_out = [&](const Remote& remote) {
    return remote.proto.starts_with("tcp") != forced.starts_with("tcp");
  };
  if (!forced.empty() && !remotes.empty() && std::ranges::all_of(remotes, left_out)) {
    add(profile_.last("proto-force"), "no remote has the protocol of 'proto-force'",
        "leave it out, or add a remote that has");
  }
}

void Errors::check_sizes() {
  for (const std::string_view name : {"link-mtu", "udp-mtu"}) {
    exclude(name, "tun-mtu", "keep 'tun-mtu' alone");
  }
}

void Errors::check_pings() {
  for (const std::string_view name : {"ping", "ping-restart", "ping-exit"}) {
    exclude("keepalive", name, "keep 'keepalive' alone");
  }
  for (const Directive* keepalive : profile_.all("keepalive")) {
    if (keepalive->args.size() < 2) continue;
    const auto ping = base::parse_number<std::int64_t>(keepalive->args[0]);
    const auto restart = base::parse_number<std::int64_t>(keepalive->args[1]);
    if (!ping || !restart || *restart >= 2 * *ping) continue;
    add(keepalive, "the second number of 'keepalive' must be at least twice the first",
        "write 'keepalive " + std::to_string(*ping) + " " + std::to_string(*ping * 6) + "'");
  }
}

// As stock, whichever of the two comes first.
void Errors::check_compression() {
  if (profile_.arg("allow-compression") != "no") return;
  for (const Directive& directive : profile_.directives) {
    const bool lzo = directive.name == "comp-lzo";
    if (!lzo && directive.name != "compress") continue;
    const std::string_view word =
        directive.args.empty() ? std::string_view() : directive.args.front();
    const bool stub = lzo ? word == "no" : is_one_of("stub stub-v2 migrate", word) || word.empty();
    if (stub) continue;
    add(&directive, "'allow-compression no' forbids what this line asks for",
        "leave out one of them");
  }
}

// A line that only the native engine may pass over is an error where only stock can run the config.
void Errors::check_stock() {
  const base::Problems gaps = native_gaps(profile_, abilities_);
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

base::Problems config_errors(const Profile& profile, const NativeAbilities& abilities) {
  // Lines that stock passes over say nothing; those behind `setenv opt` say what all others do.
  Profile effective = effective_profile(profile);
  base::Problems problems = Errors(effective, abilities).run();
  wipe_blocks(effective);
  return problems;
}

}  // namespace ovpn
