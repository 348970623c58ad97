// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"
#include "fastpath/config/reading.h"
#include "ovpn/remote_list.h"

namespace config {
namespace {

constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

void proto(Reading& r, const ovpn::Directive& d) {
  if (const auto family = family_of(r, d, word(d, 0))) r.config.link.family = *family;
}

// It chooses among the remotes; see forced_out().
void proto_force(Reading& r, const ovpn::Directive& d) {
  static_cast<void>(family_of(r, d, word(d, 0)));
}

void port(Reading& r, const ovpn::Directive& d) {
  if (!port_ok(r, d, word(d, 0))) return;
  r.local_port = word(d, 0);
}

void lport(Reading& r, const ovpn::Directive& d) {
  // `lport 0` is how some configs ask for any free port while keeping `bind`.
  if (word(d, 0) != "0" && !port_ok(r, d, word(d, 0))) return;
  r.local_port = word(d, 0);
  r.local_port_given = true;
  r.bind_given = true;
}

void rport(Reading& r, const ovpn::Directive& d) { static_cast<void>(port_ok(r, d, word(d, 0))); }

void local(Reading& r, const ovpn::Directive& d) {
  r.config.link.local_host = word(d, 0);
  r.bind_given = true;
}
void nobind(Reading& r, const ovpn::Directive& d) {
  r.nobind = true;
  r.nobind_place = d.place;
}
void bind(Reading& r, const ovpn::Directive& d) {
  r.nobind = false;
  r.bind_given = true;
  r.config.link.ipv6_only = word(d, 0) == "ipv6only";
}
void float_(Reading& r, const ovpn::Directive&) { r.config.link.float_allowed = true; }
void remote_random(Reading& r, const ovpn::Directive&) { r.config.link.remote_random = true; }

void persist_remote_ip(Reading& r, const ovpn::Directive&) {
  r.config.link.persist_remote_ip = true;
}

void sndbuf(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.link.sndbuf_bytes);
}
void rcvbuf(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, kInt32Max, r.config.link.rcvbuf_bytes);
}

void mark(Reading& r, const ovpn::Directive& d) {
  // Often written in hexadecimal, as in firewall rules.
  if (const std::string text = word(d, 0); text.starts_with("0x")) {
    std::uint32_t value = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + 2, end, value, 16);
    if (read.ec == std::errc() && read.ptr == end) {
      r.config.link.mark = value;
      return;
    }
  }
  const auto value = number(r, d, 0, 0, std::numeric_limits<std::uint32_t>::max());
  if (value) r.config.link.mark = static_cast<std::uint32_t>(*value);
}

void passtos(Reading& r, const ovpn::Directive&) { r.config.link.pass_tos = true; }

void allow_recursive_routing(Reading& r, const ovpn::Directive&) {
  r.config.link.allow_recursion = true;
}

void mtu_disc(Reading& r, const ovpn::Directive& d) {
  const std::string how = word(d, 0);
  // IP_PMTUDISC_DONT, _WANT and _DO (ip(7)); IPv6 uses the same numbers.
  if (how == "no" || how == "maybe" || how == "yes") {
    r.config.link.mtu_disc = how == "no" ? 0 : how == "maybe" ? 1 : 2;
  } else {
    r.problem(d, "'" + how + "' is not a way it knows", "write no, maybe or yes");
  }
}

void resolv_retry(Reading& r, const ovpn::Directive& d) {
  if (word(d, 0) == "infinite") {
    r.config.link.resolv_retry_seconds = -1;
  } else {
    number_into(r, d, 0, 0, kInt32Max, r.config.link.resolv_retry_seconds);
  }
}

void connect_retry(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 1, kInt32Max, r.config.link.connect_retry_seconds);
  number_into(r, d, 1, 1, kInt32Max, r.config.link.connect_retry_max_seconds);
}

void connect_retry_max(Reading& r, const ovpn::Directive& d) {
  if (word(d, 0) == "unlimited") {
    r.config.link.connect_retry_max = 0;
  } else {
    number_into(r, d, 0, 0, kInt32Max, r.config.link.connect_retry_max);
  }
}

// Two names for one thing.
void connect_timeout(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 1, kInt32Max, r.connect_timeout_seconds);
}

// Small packets leave at once over TCP anyway, which is the only flag there is.
void socket_flags(Reading& r, const ovpn::Directive& d) {
  for (const std::string& flag : d.args) {
    if (flag != "TCP_NODELAY") r.problem(d, "'" + flag + "' is no flag", "write TCP_NODELAY");
  }
}

constexpr ReadingRow kRows[] = {
    {"allow-recursive-routing", allow_recursive_routing},
    {"bind", bind},
    {"connect-retry", connect_retry},
    {"connect-retry-max", connect_retry_max},
    {"connect-timeout", connect_timeout},
    {"float", float_},
    {"local", local},
    {"lport", lport},
    {"mark", mark},
    {"mtu-disc", mtu_disc},
    {"passtos", passtos},
    {"nobind", nobind},
    {"persist-remote-ip", persist_remote_ip},
    {"port", port},
    {"proto", proto},
    {"proto-force", proto_force},
    {"rcvbuf", rcvbuf},
    {"remote-random", remote_random},
    {"resolv-retry", resolv_retry},
    {"rport", rport},
    {"server-poll-timeout", connect_timeout},
    {"sndbuf", sndbuf},
    {"socket-flags", socket_flags},
};

bool contradicts(FamilyChoice wanted, base::IpFamily is) {
  return (wanted == FamilyChoice::kIpv4 && is == base::IpFamily::kIpv6) ||
         (wanted == FamilyChoice::kIpv6 && is == base::IpFamily::kIpv4);
}

// An address of the other family can be told without a resolver.
void check_families(Reading& r) {
  auto& link = r.config.link;
  const auto local_address = base::IpAddress::parse(link.local_host);
  if (local_address && contradicts(link.family, local_address->family())) {
    r.problems.push_back({{},
                          "local " + link.local_host +
                              ": not an address of the family that "
                              "`proto` asks for",
                          "write `proto udp`, or an address of that family"});
  }
  base::Problems bad;
  std::vector<RemoteConfig> good;
  for (const RemoteConfig& remote : link.remotes) {
    const auto address = base::IpAddress::parse(remote.host);
    const bool against_local =
        address && local_address && local_address->family() != address->family();
    if (!address || (!contradicts(remote.family, address->family()) && !against_local)) {
      good.push_back(remote);
      continue;
    }
    bad.push_back({{},
                   "remote " + remote.host + ": not an address of the family that " +
                       (against_local ? "`local`" : "`proto`") + " asks for",
                   "write `proto udp`, or an address of that family"});
  }
  if (bad.empty()) return;
  if (!r.tls_mode() || good.empty()) {
    r.problems.insert(r.problems.end(), bad.begin(), bad.end());
    return;
  }
  // Stock goes on to the next, and there are providers' configs that live by it.
  link.remotes = std::move(good);
  for (base::Problem& problem : bad) {
    r.warning(problem.place, problem.message + ", so it is left out", problem.remedy);
  }
}

// `proto-force` leaves the remotes of the other protocol out.
bool forced_out(const ovpn::Profile& profile, const std::string& proto) {
  const auto forced = profile.arg("proto-force");
  return forced && forced->starts_with("tcp") != proto.starts_with("tcp");
}

std::optional<RemoteConfig> read_remote(Reading& r, const ovpn::Profile& profile,
                                        const ovpn::Remote& remote) {
  const ovpn::Directive at{"remote", {}, std::nullopt, remote.place};
  const auto family = family_of(r, at, remote.proto);
  if (!family || !port_ok(r, at, remote.port)) return std::nullopt;
  RemoteConfig read{.host = remote.host, .port = remote.port};
  read.family = *family == FamilyChoice::kAny ? r.config.link.family : *family;
  read.transport = transport_of(remote.proto, profile.has("tls-server"));
  read.connect_timeout_seconds = r.connect_timeout_seconds;
  for (const ovpn::Directive& line : remote.block) {
    if (line.name != "connect-timeout" && line.name != "server-poll-timeout") continue;
    number_into(r, line, 0, 1, kInt32Max, read.connect_timeout_seconds);
  }
  read.proxy = read_proxy(r, profile, remote.block);
  if (read.proxy && read.transport != Transport::kTcpClient) {
    r.problem(at, "a proxy carries only TCP connections that are made from here",
              "write `proto tcp-client`, or leave the proxy out");
  }
  return read;
}

// `remote` lines and <connection> blocks alike.
void read_remotes(Reading& r, const ovpn::Profile& profile) {
  const std::vector<ovpn::Remote> remotes = ovpn::remote_list(profile);
  for (const ovpn::Remote& remote : remotes) {
    if (forced_out(profile, remote.proto)) continue;
    if (auto read = read_remote(r, profile, remote)) r.config.link.remotes.push_back(*read);
  }
  if (!remotes.empty() && r.config.link.remotes.empty() && r.problems.empty()) {
    r.problems.push_back({profile.last("proto-force")->place,
                          "proto-force: no remote has this protocol",
                          "leave it out, or add a remote that has"});
  }
  if (r.config.link.remotes.size() <= ovpn::kRemotesMax) return;
  r.problems.push_back({{}, "more than 64 remotes", "leave the rest out"});
}

bool all_over_tcp(const LinkConfig& link) {
  if (link.remotes.empty()) return link.transport != Transport::kUdp;
  return std::ranges::all_of(
      link.remotes, [](const RemoteConfig& remote) { return remote.transport != Transport::kUdp; });
}

// What only makes sense with one of the two ways to meet over TCP.
void check_tcp_roles(Reading& r, const ovpn::Profile& profile) {
  LinkConfig& link = r.config.link;
  const auto listens = [](const RemoteConfig& remote) {
    return remote.transport == Transport::kTcpServer;
  };
  const ovpn::Directive* proto = profile.last("proto");
  const base::Place place = proto != nullptr ? proto->place : base::Place{};
  if (link.remotes.empty() && link.transport == Transport::kTcpClient) {
    r.problems.push_back({place, "proto: a TCP client needs a `remote` to call",
                          "add `remote HOST`, or write tcp-server"});
  }
  if (r.nobind && std::ranges::any_of(link.remotes, listens)) {
    r.problems.push_back(
        {r.nobind_place, "nobind and tcp-server contradict each other", "leave nobind out"});
  }
  const ovpn::Directive* notify = profile.last("explicit-exit-notify");
  if (notify != nullptr && all_over_tcp(link)) {
    r.warning(notify->place, "explicit-exit-notify has no effect over TCP");
  }
}

}  // namespace

std::span<const ReadingRow> link_rows() { return kRows; }

void finish_link(Reading& r, const ovpn::Profile& profile) {
  read_remotes(r, profile);
  auto& link = r.config.link;
  link.transport = transport_of(ovpn::config_proto(profile), profile.has("tls-server"));
  link.tcp_client_binds = r.local_port_given || r.bind_given || !link.local_host.empty();
  check_tcp_roles(r, profile);
  // A client takes any free port unless it was told which (OpenVPN: nobind is implied by pull).
  if (r.tls.pull.pull && !r.bind_given) r.nobind = true;
  if (r.nobind && (r.local_port_given || !link.local_host.empty())) {
    r.problems.push_back({r.nobind_place,
                          "nobind and " + std::string(r.local_port_given ? "lport" : "local") +
                              " contradict each other",
                          "leave one of them out"});
  }
  if (r.nobind && link.remotes.empty()) {
    r.problems.push_back({r.nobind_place, "nobind without remote: nobody could find this end",
                          "add `remote`, or leave nobind out"});
  }
  if (!r.nobind) link.local_port = r.local_port;
  if (link.ipv6_only && link.family == FamilyChoice::kIpv4) {
    r.problems.push_back(
        {{}, "bind ipv6only and `proto udp4` contradict each other", "leave one of them out"});
  }
  check_families(r);
}

}  // namespace config
