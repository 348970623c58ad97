// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/push_rows.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "fastpath/config/framing_words.h"
#include "ovpn/cipher_name.h"

namespace config {
namespace {

constexpr int kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kPeerIdMax = 0xffffff;  // OpenVPN protocol: this one means "none"
constexpr std::size_t kTokenBytesMax = 4095;

std::string arg(const ovpn::Directive& directive, std::size_t index) {
  return index < directive.args.size() ? directive.args[index] : std::string();
}

void refuse(SessionPush& push, std::string message, std::string remedy) {
  push.fatal = base::Problem{{}, std::move(message), std::move(remedy)};
}

void cipher(SessionPush& push, const ovpn::Directive& d) {
  const ovpn::CipherName* found = ovpn::find_cipher(arg(d, 0));
  const NegotiationConfig offered =
      push.file.tls ? push.file.tls->negotiation : NegotiationConfig{};
  const auto& list = offered.data_ciphers;
  const bool allowed =
      found != nullptr && (std::find(list.begin(), list.end(), found->name) != list.end() ||
                           offered.fallback == found->name);
  if (!allowed) {
    return refuse(push, "the server chose the cipher " + arg(d, 0) + ", which was not offered",
                  "add it to `data-ciphers` if that is what you want");
  }
  push.pushed.channel.cipher = std::string(found->name);
}

void peer_id(SessionPush& push, const ovpn::Directive& d) {
  const auto id = base::parse_number<std::uint32_t>(arg(d, 0));
  if (!id || *id > kPeerIdMax) {
    push.note = "'" + arg(d, 0) + "' is no peer-id";
    return;
  }
  push.pushed.channel.peer_id = *id;
}

void key_derivation(SessionPush& push, const ovpn::Directive& d) {
  if (arg(d, 0) != "tls-ekm") {
    return refuse(push, "the server wants the unknown key derivation '" + arg(d, 0) + "'", {});
  }
  push.pushed.channel.tls_ekm = true;
}

// Stock passes over unknown words, but then both ends disagree on the keys.
void protocol_flags(SessionPush& push, const ovpn::Directive& d) {
  auto& channel = push.pushed.channel;
  for (const std::string& flag : d.args) {
    if (flag == "tls-ekm") {
      channel.tls_ekm = true;
    } else if (flag == "cc-exit") {
      channel.cc_exit = true;
    } else if (flag == "dyn-tls-crypt") {
      channel.dyn_tls_crypt = true;
    } else if (flag == "aead-epoch") {
      channel.aead_epoch = true;
    } else {
      return refuse(push, "the server wants the unknown protocol flag '" + flag + "'", {});
    }
  }
}

void auth_token(SessionPush& push, const ovpn::Directive& d) {
  if (arg(d, 0).size() > kTokenBytesMax) return;
  auto& channel = push.pushed.channel;
  (d.name == "auth-token" ? channel.auth_token : channel.auth_token_user) = arg(d, 0);
}

void compression(SessionPush& push, const ovpn::Directive& d) {
  const std::optional<Framing> framing = framing_of_words(d);
  const std::string wish = d.args.empty() ? d.name : d.name + " " + d.args[0];
  if (!framing) {
    return refuse(push, "the server wants `" + wish + "`, which is not native",
                  "switch compression off at the server");
  }
  if (may_compress(*framing) && push.file.crypto.compression_allowed == false) {
    return refuse(push, "the server wants `" + wish + "`, and `allow-compression no` forbids it",
                  "switch compression off at the server, or leave out `allow-compression`");
  }
  push.scratch.crypto.framing = *framing;
}

void exit_notify(SessionPush& push, const ovpn::Directive& d) {
  const int tries = d.args.empty() ? 1 : base::parse_number<int>(arg(d, 0)).value_or(-1);
  if (tries < 0) {
    push.note = "'" + arg(d, 0) + "' is no number";
    return;
  }
  if (!push.context.tcp) push.scratch.keepalive.exit_notify_tries = tries;
}

void session_timeout(SessionPush& push, const ovpn::Directive& d) {
  const int seconds = base::parse_number<int>(arg(d, 0)).value_or(-1);
  if (seconds < 0 || seconds > kInt32Max) {
    push.note = "'" + arg(d, 0) + "' is no number of seconds";
    return;
  }
  push.scratch.keepalive.session_timeout_seconds = seconds;
}

void block_ipv6(SessionPush& push, const ovpn::Directive&) {
  push.scratch.device.block_ipv6 = true;
}

using enum PushUse;
constexpr PushRow kRows[] = {
    {"auth-token", kSession, false, false, auth_token},
    {"auth-token-user", kSession, false, false, auth_token},
    {"bind-dev", kNotDone},
    {"block-ipv6", kSession, true, true, block_ipv6},
    {"block-outside-dns", kIgnored, true, true},
    {"cipher", kSession, true, false, cipher},
    {"client-nat", kRefused},
    {"comp-lzo", kSession, true, false, compression},
    {"comp-noadapt", kIgnored},
    {"compress", kSession, true, false, compression},
    {"dhcp-option", kDns, true, true},
    {"dhcp-pre-release", kIgnored},
    {"dhcp-release", kIgnored},
    {"dhcp-renew", kIgnored},
    {"dns", kDns, true, true},
    {"echo", kIgnored},
    {"errors-to-stderr", kIgnored},
    {"explicit-exit-notify", kSession, false, false, exit_notify},
    {"ifconfig", kHost, true, true},
    {"ifconfig-ipv6", kHost, true, true},
    {"ifconfig-noexec", kNotDone},
    {"ifconfig-nowarn", kIgnored},
    {"inactive", kHost},
    {"ip-win32", kIgnored},
    {"key-derivation", kSession, false, false, key_derivation},
    {"lladdr", kIgnored},
    {"max-routes", kIgnored},
    {"mute", kIgnored},
    {"parameter", kIgnored},
    {"peer-id", kSession, false, false, peer_id},
    {"persist-key", kIgnored},
    {"persist-tun", kHost},
    {"ping", kHost, false},
    {"ping-exit", kHost, false},
    {"ping-restart", kHost, false},
    {"ping-timer-rem", kHost, false},
    {"protocol-flags", kSession, false, false, protocol_flags},
    {"push-continuation", kIgnored, false, true},
    {"rcvbuf", kHost},
    {"redirect-gateway", kRoute, true, true},
    {"redirect-private", kRoute, true, true},
    {"register-dns", kIgnored},
    {"route", kRoute, true, true},
    {"route-delay", kHost},
    {"route-gateway", kHost, true, true},
    {"route-ipv6", kRoute, true, true},
    {"route-ipv6-gateway", kHost},
    {"route-method", kIgnored},
    {"route-metric", kRoute, true, true},
    {"session-timeout", kSession, true, false, session_timeout},
    {"setenv-safe", kHost},
    {"shaper", kNotDone},
    {"sndbuf", kHost},
    {"socket-flags", kIgnored},
    {"tap-sleep", kIgnored},
    {"topology", kHost, true, true},
    {"tun-ipv6", kIgnored},
    {"tun-mtu", kHost, true, true},
    {"verb", kIgnored},
};

}  // namespace

const PushRow* find_push_row(std::string_view name) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const PushRow& candidate) { return candidate.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace config
