// SPDX-License-Identifier: Apache-2.0
// TLS mode: roles, what is pulled, the wrapping of the control channel, times, credentials.
#include <limits>

#include "base/text.h"
#include "fastpath/config/reading.h"

namespace config {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr int kPullPingRestart = 120;  // OpenVPN protocol: default of a client that pulls
constexpr std::size_t kPullFiltersMax = 256;

void client(Reading& r, const ovpn::Directive&) {
  r.tls_client = true;
  r.tls.pull.pull = true;
}
void pull(Reading& r, const ovpn::Directive&) { r.tls.pull.pull = true; }
void tls_client(Reading& r, const ovpn::Directive&) { r.tls_client = true; }
void tls_server(Reading& r, const ovpn::Directive&) { r.tls_server = true; }
void route_nopull(Reading& r, const ovpn::Directive&) { r.tls.pull.route_nopull = true; }
void single_session(Reading& r, const ovpn::Directive&) { r.tls.single_session = true; }
void tls_exit(Reading& r, const ovpn::Directive&) { r.tls.tls_exit = true; }

void pull_filter(Reading& r, const ovpn::Directive& d) {
  PullFilter filter;
  filter.prefix = word(d, 1);
  const std::string action = word(d, 0);
  if (action == "accept") {
    filter.action = PullFilter::Action::kAccept;
  } else if (action == "ignore") {
    filter.action = PullFilter::Action::kIgnore;
  } else if (action == "reject") {
    filter.action = PullFilter::Action::kReject;
  } else {
    r.problem(d, "'" + action + "' is not what can be done", "write accept, ignore or reject");
    return;
  }
  if (r.tls.pull.filters.size() >= kPullFiltersMax) {
    r.problem(d, "more than " + std::to_string(kPullFiltersMax) + " of them", "write fewer");
    return;
  }
  r.tls.pull.filters.push_back(filter);
}

void read_wrap(Reading& r, const ovpn::Directive& d, ControlWrap kind) {
  WrapConfig& wrap = r.tls.wrap;
  // Two lines of one kind: the later wins, as everywhere. Two kinds are refused before this.
  wrap.kind = kind;
  wrap.key = file_of(r, d);
}

void tls_auth(Reading& r, const ovpn::Directive& d) {
  read_wrap(r, d, ControlWrap::kTlsAuth);
  // `tls-auth [inline] 1` beside a block, an old spelling, gives its direction here too.
  const std::size_t index = d.body && d.args.size() == 1 ? 0 : 1;
  const std::string direction = word(d, index);
  if (direction.empty()) return;
  if (direction != "0" && direction != "1") {
    r.problem(d, "'" + direction + "' is no key direction",
              "write 0 at one end and 1 at the other");
    return;
  }
  r.tls.wrap.direction = direction == "1" ? 1 : 0;
}

void tls_crypt(Reading& r, const ovpn::Directive& d) { read_wrap(r, d, ControlWrap::kTlsCrypt); }
void tls_crypt_v2(Reading& r, const ovpn::Directive& d) {
  read_wrap(r, d, ControlWrap::kTlsCryptV2);
}

void reneg_sec(Reading& r, const ovpn::Directive& d) {
  auto& to = r.tls.renegotiation;
  number_into(r, d, 0, 0, kInt32Max, to.reneg_seconds);
  if (d.args.size() < 2) return;
  const auto min = number(r, d, 1, 0, to.reneg_seconds);
  if (min) to.reneg_seconds_min = static_cast<int>(*min);
}

void reneg_bytes(Reading& r, const ovpn::Directive& d) {
  if (const auto bytes = number(r, d, 0, 0, kInt64Max)) r.tls.renegotiation.reneg_bytes = *bytes;
}

void reneg_pkts(Reading& r, const ovpn::Directive& d) {
  const auto packets = number(r, d, 0, 0, kInt64Max);
  if (packets) r.tls.renegotiation.reneg_packets = *packets;
}

void tran_window(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 1, kInt32Max, r.tls.renegotiation.transition_window_seconds);
}
void hand_window(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 1, kInt32Max, r.tls.renegotiation.hand_window_seconds);
}
void tls_timeout(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 1, 3600, r.tls.renegotiation.tls_timeout_seconds);
}
void max_packet_size(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 154, 2048, r.tls.renegotiation.max_packet_bytes);  // TLS_CHANNEL_MTU_MIN
}

void auth_user_pass(Reading& r, const ovpn::Directive& d) {
  CredentialsConfig& to = r.tls.credentials;
  to.wanted = true;
  if (word(d, 0) == "username-only") {
    to.username_only = true;
  } else if (d.body || !d.args.empty()) {
    to.file = file_of(r, d);
  }
}

void auth_retry(Reading& r, const ovpn::Directive& d) {
  using Retry = CredentialsConfig::Retry;
  const std::string how = word(d, 0);
  if (how == "none") {
    r.tls.credentials.retry = Retry::kNone;
  } else if (how == "nointeract") {
    r.tls.credentials.retry = Retry::kNointeract;
  } else if (how == "interact") {
    r.tls.credentials.retry = Retry::kInteract;
  } else {
    r.problem(d, "'" + how + "' is not a way it knows", "write none, nointeract or interact");
  }
}

void auth_nocache(Reading& r, const ovpn::Directive&) { r.tls.credentials.nocache = true; }
void auth_token(Reading& r, const ovpn::Directive& d) { r.tls.credentials.token = word(d, 0); }
void auth_token_user(Reading& r, const ovpn::Directive& d) {
  r.tls.credentials.token_user = word(d, 0);
}

void static_challenge(Reading& r, const ovpn::Directive& d) {
  CredentialsConfig& to = r.tls.credentials;
  to.static_challenge = word(d, 0);
  const std::string echo = word(d, 1), format = word(d, 2);
  if ((echo != "0" && echo != "1") || (format != "" && format != "scrv1" && format != "concat")) {
    r.problem(d, "it takes a text, 0 or 1, and scrv1 or concat",
              "write for example static-challenge \"Code\" 1");
    return;
  }
  to.static_challenge_echo = echo == "1";
  to.static_challenge_concat = format == "concat";
}

constexpr ReadingRow kRows[] = {
    {"auth-nocache", auth_nocache},
    {"auth-retry", auth_retry},
    {"auth-token", auth_token},
    {"auth-token-user", auth_token_user},
    {"auth-user-pass", auth_user_pass},
    {"client", client},
    {"hand-window", hand_window},
    {"max-packet-size", max_packet_size},
    {"pull", pull},
    {"pull-filter", pull_filter},
    {"reneg-bytes", reneg_bytes},
    {"reneg-pkts", reneg_pkts},
    {"reneg-sec", reneg_sec},
    {"route-nopull", route_nopull},
    {"single-session", single_session},
    {"static-challenge", static_challenge},
    {"tls-auth", tls_auth},
    {"tls-client", tls_client},
    {"tls-crypt", tls_crypt},
    {"tls-crypt-v2", tls_crypt_v2},
    {"tls-exit", tls_exit},
    {"tls-server", tls_server},
    {"tls-timeout", tls_timeout},
    {"tran-window", tran_window},
};

void warn_about_renegotiation(Reading& r) {
  const auto& times = r.tls.renegotiation;
  if (times.reneg_seconds == 0 && !times.reneg_bytes && times.reneg_packets == 0) {
    r.warning({}, "reneg-sec 0: this end never asks for new keys",
              "leave it out, unless the server asks for them");
  }
}

}  // namespace

std::span<const ReadingRow> tls_rows() { return kRows; }

void finish_tls(Reading& r) {
  if (!r.tls_mode()) return;
  TlsConfig& tls = r.tls;
  tls.role = r.tls_server ? TlsRole::kServer : TlsRole::kClient;
  if (!tls.wrap.direction) tls.wrap.direction = r.key_direction;
  tls.wrap.digest = r.config.crypto.auth;
  finish_negotiation(r);
  if (tls.pull.pull && !r.ping_timeout_given) {
    r.config.keepalive.ping_restart_seconds = kPullPingRestart;
  }
  warn_about_renegotiation(r);
  r.config.tls = std::move(tls);
}

}  // namespace config
