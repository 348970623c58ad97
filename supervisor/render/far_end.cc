// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/far_end.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "ovpn/remote_list.h"
#include "supervisor/site/address_words.h"

namespace render {
namespace {

// What both ends must agree on, or may well have alike.
constexpr std::array<std::string_view, 33> kShared{"dev-type",
                                                   "topology",
                                                   "cipher",
                                                   "auth",
                                                   "data-ciphers",
                                                   "no-replay",
                                                   "replay-window",
                                                   "compress",
                                                   "comp-lzo",
                                                   "fragment",
                                                   "tun-mtu",
                                                   "tun-mtu-extra",
                                                   "link-mtu",
                                                   "mssfix",
                                                   "mtu-disc",
                                                   "keepalive",
                                                   "ping",
                                                   "ping-restart",
                                                   "ping-exit",
                                                   "ping-timer-rem",
                                                   "explicit-exit-notify",
                                                   "disable-occ",
                                                   "float",
                                                   "persist-tun",
                                                   "persist-key",
                                                   "providers",
                                                   "allow-deprecated-insecure-static-crypto",
                                                   "allow-compression",
                                                   "ignore-unknown-option",
                                                   "verb",
                                                   "mute",
                                                   "comp-noadapt",
                                                   "secret"};

constexpr std::array<std::string_view, 9> kTls{
    "client", "server", "tls-client",       "tls-server", "pull",
    "ca",     "cert",   "peer-fingerprint", "tls-crypt"};

// What says who the two ends are; the far end's own come back in add_identity().
constexpr std::array<std::string_view, 6> kIdentity{"tls-client", "tls-server", "dh",
                                                    "cert",       "key",        "peer-fingerprint"};

// What both ends have of a common authority.
constexpr std::array<std::string_view, 4> kOfAuthority{"ca", "tls-auth", "tls-crypt",
                                                       "data-ciphers-fallback"};

template <std::size_t N>
bool is_in(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string flipped(const std::string& direction) {
  if (direction == "0") return "1";
  return direction == "1" ? "0" : direction;
}

class FarEnd {
 public:
  FarEnd(const ovpn::Profile& near, const site::FarEnd& wishes,
         const std::vector<std::string>& remote, const FarIdentity& identity)
      : near_(near),
        wishes_(wishes),
        remote_(remote.empty() ? wishes.remote : remote),
        identity_(identity) {}

  base::Result<FarEndResult, base::Problems> derive() {
    if (base::Problems problems = obstacles(); !problems.empty()) return problems;
    for (const ovpn::Directive& line : near_.directives) take(line);
    if (has_identity()) add_identity();
    add_link();
    add_routes();
    return std::move(result_);
  }

 private:
  bool has_identity() const { return identity_.known(); }

  base::Problems obstacles() const {
    for (const std::string_view name : kTls) {
      if (has_identity() && is_in(kIdentity, name)) continue;
      if (identity_.same_authority && is_in(kOfAuthority, name)) continue;
      if (const auto* line = near_.last(name)) {
        return {{line->place, "the far end of a TLS config cannot be derived from this one",
                 "its keys are its own; only static-key tunnels have two like ends"}};
      }
    }
    if (remote_.empty() && !near_.has("remote")) {
      return {
          {{},
           "neither end would call the other",
           "say how the far end reaches this machine: --remote HOST, or remote below [far-end]"}};
    }
    if (!remote_.empty() && near_.has("nobind")) {
      return {{near_.last("nobind")->place,
               "this end has no fixed port (nobind), so the far end cannot call it",
               "leave the far end's remote out, or take nobind out"}};
    }
    for (const std::string& text : remote_) {
      const auto words = site::parse_remote(text);
      if (!words || !words->proto.empty()) {
        return {{{}, "'" + text + "' is no host with an optional port", "write \"host\""}};
      }
    }
    return {};
  }

  void add(std::string name, std::vector<std::string> args, const base::Place& place) {
    result_.profile.directives.push_back({std::move(name), std::move(args), std::nullopt, place});
  }

  void take(const ovpn::Directive& line) {
    ovpn::Directive far = line;
    if (has_identity() && is_in(kIdentity, line.name)) return;
    if (line.name == "dev") {
      if (!wishes_.dev.empty() && !far.args.empty()) far.args[0] = wishes_.dev;
    } else if (line.name == "ifconfig" && line.args.size() == 2) {
      std::swap(far.args[0], far.args[1]);
    } else if (line.name == "ifconfig-ipv6" && line.args.size() == 2) {
      const auto slash = line.args[0].find('/');
      far.args = {line.args[1] + line.args[0].substr(std::min(slash, line.args[0].size())),
                  line.args[0].substr(0, slash)};
    } else if (line.name == "secret" && line.args.size() > 1) {
      far.args[1] = flipped(far.args[1]);
    } else if (line.name == "key-direction" && !line.args.empty()) {
      far.args[0] = flipped(far.args[0]);
    } else if (line.name == "proto" && !line.args.empty()) {
      far.args[0] = far_proto(near_proto());
    } else if (identity_.same_authority && line.name == "remote-cert-tls") {
      return;
    } else if (identity_.same_authority && is_in(kOfAuthority, line.name)) {
      // The same there.
    } else if (!is_shared(line)) {
      note(line);
      return;
    }
    result_.profile.directives.push_back(std::move(far));
  }

  static bool is_shared(const ovpn::Directive& line) {
    if (line.name == "setenv" && line.args.size() > 1 && line.args[0] == "opt") {
      return is_in(kShared, line.args[1]);
    }
    return is_in(kShared, line.name);
  }

  static std::string far_proto(const std::string& proto) {
    for (const std::string_view family : {"", "4", "6"}) {
      const std::string tail(family);
      if (proto == "tcp" + tail + "-client" || proto == "tcp-client" + tail) {
        return "tcp" + tail + "-server";
      }
      if (proto == "tcp" + tail + "-server" || proto == "tcp-server" + tail) {
        return "tcp" + tail + "-client";
      }
    }
    return proto;
  }

  // remote, port, lport and rport come back in add_link().
  void note(const ovpn::Directive& line) {
    static constexpr std::array<std::string_view, 4> kLink{"remote", "port", "lport", "rport"};
    if (is_in(kLink, line.name)) return;
    result_.notes.push_back("left out: " + line.name + " (this machine's own)");
  }

  void add_identity() {
    const bool server = near_.has("tls-client");
    add(server ? "tls-server" : "tls-client", {}, {});
    if (server) add("dh", {"none"}, {});
    add("cert", {identity_.name + ".crt"}, {});
    add("key", {identity_.name + ".key"}, {});
    if (!identity_.same_authority) {
      add("peer-fingerprint", {identity_.peer_fingerprint}, {});
    } else if (near_.has("remote-cert-tls")) {
      add("remote-cert-tls", {server ? "client" : "server"}, {});
    }
  }

  // What this end calls first counts before `proto`: a `remote` line may name its own.
  std::string near_proto() const {
    const auto remotes = ovpn::remote_list(near_);
    return remotes.empty() ? ovpn::config_proto(near_) : remotes.front().proto;
  }

  // The far end binds what this end calls first.
  std::string near_remote_port() const {
    const auto remotes = ovpn::remote_list(near_);
    if (!remotes.empty()) return remotes.front().port;
    return near_.arg("rport").value_or(near_.arg("port").value_or(std::string(ovpn::kDefaultPort)));
  }

  void add_link() {
    const std::string local = near_remote_port();
    const std::string remote = ovpn::local_port(near_);
    const base::Place place{};
    if (!near_.has("proto") && near_proto() != "udp")
      add("proto", {far_proto(near_proto())}, place);
    if (near_.has("nobind") || remote_.empty()) {
      add("lport", {local}, place);
    } else if (local == remote) {
      add("port", {local}, place);
    } else {
      add("lport", {local}, place);
      add("rport", {remote}, place);
    }
    for (const std::string& text : remote_) {
      const auto words = site::parse_remote(text);
      std::vector<std::string> args{words->host};
      if (words->port) args.push_back(std::to_string(*words->port));
      add("remote", std::move(args), place);
    }
  }

  void add_routes() {
    for (const std::string& text : wishes_.route) {
      const auto route = site::parse_route(text, base::IpFamily::kIpv4);
      if (!route) continue;
      add("route",
          {route->network.address.to_string(),
           base::netmask_of_length(route->network.length).to_string()},
          {});
    }
    for (const std::string& text : wishes_.route_ipv6) add("route-ipv6", {text}, {});
  }

  const ovpn::Profile& near_;
  const site::FarEnd& wishes_;
  const std::vector<std::string> remote_;
  const FarIdentity& identity_;
  FarEndResult result_;
};

}  // namespace

base::Result<FarEndResult, base::Problems> far_end_of(const ovpn::Profile& near,
                                                      const site::FarEnd& wishes,
                                                      const std::vector<std::string>& remote,
                                                      const FarIdentity& identity) {
  return FarEnd(near, wishes, remote, identity).derive();
}

}  // namespace render
