// SPDX-License-Identifier: Apache-2.0
#include "ovpn/native_support.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/ip.h"
#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"

namespace ovpn {
namespace {

// Why a directive that the table honours cannot be honoured with these arguments.
using Reason = std::optional<std::string>;

std::string_view arg_or(const Directive& directive, std::size_t index, std::string_view fallback) {
  return index < directive.args.size() ? std::string_view(directive.args[index]) : fallback;
}

// What the value rules need to know of the config and of the engine.
struct Context {
  const NativeAbilities& abilities;
  bool tls = false;     // TLS mode, and the engine runs it
  bool server = false;  // as TLS server, for one peer
};

Reason cipher_name_reason(std::string_view name, const Context& context) {
  const CipherName* cipher = find_cipher(name);
  const bool native = cipher != nullptr && (!context.tls || cipher->mode != CipherMode::kStream);
  if (native) return std::nullopt;
  return "'" + std::string(name) + "' is not among the native ciphers";
}

Reason cipher_reason(const Directive& directive, const Context& context) {
  return cipher_name_reason(arg_or(directive, 0, ""), context);
}

// Only TLS mode reads the list.
Reason cipher_list_reason(const Directive& directive, const Context& context) {
  if (!context.tls) return std::nullopt;
  for (const std::string_view name : base::split(arg_or(directive, 0, ""), ':')) {
    if (name == "DEFAULT" || name.starts_with('?')) continue;
    if (auto reason = cipher_name_reason(name, context)) return reason;
  }
  return std::nullopt;
}

Reason digest_reason(const Directive& directive) {
  const std::string_view name = arg_or(directive, 0, "");
  if (find_digest(name) != nullptr) return std::nullopt;
  return "'" + std::string(name) + "' is not among the native digests";
}

Reason compress_reason(const Directive& directive) {
  if (arg_or(directive, 0, "stub") == "migrate") return "server mode";
  return std::nullopt;
}

bool is_address(std::string_view text, base::IpFamily family) {
  const auto address = base::IpAddress::parse(text);
  return address && address->family() == family;
}

bool is_route_word(std::string_view text) {
  return text == "vpn_gateway" || text == "net_gateway" || text == "remote_host";
}

// Stock also takes host names and asks a resolver while it sets up routes.
Reason route_reason(const Directive& directive, const Context& context) {
  const std::string_view network = arg_or(directive, 0, "");
  if (!is_address(network, base::IpFamily::kIpv4) && !(context.tls && is_route_word(network))) {
    return "'" + std::string(network) + "' is not an IPv4 address";
  }
  const std::string_view gateway = arg_or(directive, 2, "default");
  if (gateway == "default" || gateway == "vpn_gateway" || gateway == "net_gateway" ||
      (context.tls && gateway == "remote_host") || is_address(gateway, base::IpFamily::kIpv4)) {
    return std::nullopt;
  }
  return "gateway '" + std::string(gateway) + "'";
}

Reason route_ipv6_reason(const Directive& directive, const Context& context) {
  const std::string_view gateway = arg_or(directive, 1, "default");
  if (gateway == "default" || is_address(gateway, base::IpFamily::kIpv6)) return std::nullopt;
  if (context.tls && (gateway == "vpn_gateway" || gateway == "net_gateway")) return std::nullopt;
  return "gateway '" + std::string(gateway) + "'";
}

Reason route_gateway_reason(std::string_view gateway) {
  if (is_address(gateway, base::IpFamily::kIpv4)) return std::nullopt;
  return gateway == "dhcp" ? "DHCP" : "'" + std::string(gateway) + "' is not an IPv4 address";
}

Reason number_reason(const Directive& directive, std::string_view text) {
  if (base::parse_number<unsigned>(text)) return std::nullopt;
  return "'" + std::string(text) + "' as " + (directive.name == "remote" ? "port" : directive.name);
}

Reason providers_reason(const Directive& directive) {
  for (const std::string& provider : directive.args) {
    if (provider != "legacy" && provider != "default") return "the provider '" + provider + "'";
  }
  return std::nullopt;
}

// Only those have a '%', and the name of an interface behind it.
bool is_link_local(std::string_view host) { return host.find('%') != std::string_view::npos; }

Reason remote_reason(const Directive& directive) {
  if (is_link_local(arg_or(directive, 0, ""))) return "a link-local address";
  return number_reason(directive, arg_or(directive, 1, "1194"));
}

// Stock asks a terminal or the management interface for what no file holds.
constexpr std::string_view kAsksForLogin = "asking for a proxy's password";

Reason http_proxy_reason(const Directive& directive) {
  if (arg_or(directive, 2, "") == "stdin") return std::string(kAsksForLogin);
  const std::string_view method = arg_or(directive, 3, "basic");
  if (method.starts_with("ntlm")) return "NTLM";
  return number_reason(directive, arg_or(directive, 1, "none"));
}

Reason http_proxy_option_reason(const Directive& directive) {
  const std::string_view name = arg_or(directive, 0, "");
  if (name == "VERSION" || name == "AGENT" || name == "CUSTOM-HEADER") return std::nullopt;
  return "the option '" + std::string(name) + "'";
}

Reason socks_proxy_reason(const Directive& directive) {
  if (arg_or(directive, 2, "") == "stdin") return std::string(kAsksForLogin);
  return number_reason(directive, arg_or(directive, 1, "1080"));
}

Reason value_reason(const Directive& directive, const Context& context);

// What connections may natively differ in, besides whom they name.
constexpr std::array<std::string_view, 8> kInBlocks = {
    "proto",       "connect-timeout",   "server-poll-timeout",
    "http-proxy",  "http-proxy-option", "http-proxy-retry",
    "socks-proxy", "socks-proxy-retry"};

Reason connection_reason(const Directive& block, const Context& context) {
  for (const Directive& inner : lex_block(block).profile.directives) {
    Reason reason;
    if (inner.name == "remote") {
      reason = remote_reason(inner);
    } else if (std::find(kInBlocks.begin(), kInBlocks.end(), inner.name) != kInBlocks.end()) {
      reason = value_reason(inner, context);
    } else if (inner.name == "rport") {
      reason = number_reason(inner, arg_or(inner, 0, ""));
    } else {
      reason = "'" + inner.name + "' inside of it";
    }
    if (reason) return reason;
  }
  return std::nullopt;
}

Reason device_reason(const Directive& directive) {
  const std::string_view name = arg_or(directive, 0, "");
  if (name.starts_with("tap")) return "tap devices";
  return std::nullopt;
}

// Only a file or a supervisor can answer a service.
Reason askpass_reason(const Directive& directive) {
  if (directive.args.empty()) return "asking a person for the key's passphrase";
  return std::nullopt;
}

Reason crypto_value_reason(const Directive& directive, const Context& context) {
  const std::string_view name = directive.name;
  if (name == "cipher" || name == "data-ciphers-fallback") return cipher_reason(directive, context);
  if (name == "data-ciphers" || name == "ncp-ciphers") {
    return cipher_list_reason(directive, context);
  }
  if (name == "auth") return digest_reason(directive);
  if (name == "compress") return compress_reason(directive);
  if (name == "providers") return providers_reason(directive);
  if (name == "askpass") return askpass_reason(directive);
  if (name == "tls-crypt-v2" && context.server) return "the server's end of tls-crypt-v2";
  return std::nullopt;
}

Reason value_reason(const Directive& directive, const Context& context) {
  const std::string_view name = directive.name;
  const std::string_view first = arg_or(directive, 0, "");
  if (name == "dev-type") return device_reason(directive);
  if (name == "mode") return first == "server" ? Reason("server mode") : std::nullopt;
  if (name == "remote") return remote_reason(directive);
  if (name == "connection") return connection_reason(directive, context);
  if (name == "route") return route_reason(directive, context);
  if (name == "route-ipv6") return route_ipv6_reason(directive, context);
  if (name == "route-gateway") return route_gateway_reason(first);
  if (name == "ifconfig-ipv6" && first.find('/') == std::string_view::npos) {
    return "an address without its length";
  }
  if (name == "port" || name == "lport" || name == "rport") return number_reason(directive, first);
  if (name == "local" && is_link_local(first)) return "a link-local address";
  if (name == "local" && directive.args.size() > 1) return "several sockets";
  if (name == "tun-mtu" && directive.args.size() > 1) return "telling the peer another MTU";
  if (name == "http-proxy") return http_proxy_reason(directive);
  if (name == "http-proxy-option") return http_proxy_option_reason(directive);
  if (name == "socks-proxy") return socks_proxy_reason(directive);
  return crypto_value_reason(directive, context);
}

Reason table_reason(const DirectiveRow& row, const Context& context) {
  if (row.native == NativeUse::kTls && !context.tls) return std::string(row.note);
  if (row.native != NativeUse::kRefused) return std::nullopt;
  return std::string(row.note);
}

// A proxy for datagrams is SOCKS's other half; an HTTP proxy has none, and stock says so itself.
const Directive* proxy_of_datagrams(const Profile& profile) {
  for (const Remote& remote : remote_list(profile)) {
    if (remote.proto.starts_with("tcp")) continue;
    for (const Directive& line : remote.block) {
      if (line.name != "socks-proxy" && line.name != "http-proxy") continue;
      return profile.last("connection");
    }
    if (const Directive* socks = profile.last("socks-proxy")) return socks;
    if (const Directive* http = profile.last("http-proxy")) return http;
  }
  return nullptr;
}

}  // namespace

base::Problems native_gaps(const Profile& profile, const NativeAbilities& abilities) {
  base::Problems gaps;
  const auto add = [&gaps](const Directive& directive, const std::string& reason) {
    gaps.push_back({directive.place, directive.name + ": " + reason, {}});
  };
  const Context context{abilities, abilities.tls && tunnel_mode(profile) == TunnelMode::kTls,
                        profile.has("tls-server")};
  for (const Directive& written : profile.directives) {
    if (gaps.size() >= base::kProblemsMax) break;
    // Only where it says something else: a copy of a key block would outlive its wiping.
    const Directive unwrapped = written.body ? Directive() : unwrap_setenv_opt(written);
    const Directive& directive = written.body ? written : unwrapped;
    const DirectiveRow* row = find_row(directive.name);
    if (row == nullptr) continue;
    Reason reason = table_reason(*row, context);
    if (!reason) reason = value_reason(directive, context);
    if (reason) add(directive, *reason);
  }
  if (const Directive* proxy = proxy_of_datagrams(profile)) add(*proxy, "a proxy for UDP");
  const Directive* http = profile.last("http-proxy");
  if (http != nullptr && arg_or(*http, 2, "").starts_with("auto") &&
      !profile.has("http-proxy-user-pass")) {
    add(*http, std::string(kAsksForLogin));
  }
  // `dev` alone says nothing about a device named freely: dev-type does.
  const Directive* dev = profile.last("dev");
  if (dev != nullptr && !profile.has("dev-type")) {
    if (const Reason reason = device_reason(*dev)) add(*dev, *reason);
  }
  return gaps;
}

}  // namespace ovpn
