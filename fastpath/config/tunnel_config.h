// SPDX-License-Identifier: Apache-2.0
// What one tunnel was asked to be: every directive the fast path honours, as plain values. Made
// once from a Profile; nothing downstream reads directives again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/host_wish.h"
#include "fastpath/config/proxy_config.h"
#include "fastpath/config/tls_config.h"
#include "ovpn/directive.h"
#include "ovpn/frame_size.h"
#include "ovpn/static_key.h"

namespace config {

enum class DeviceKind { kTun, kNull };
enum class FamilyChoice { kAny, kIpv4, kIpv6 };  // proto udp, udp4, udp6; tcp likewise
enum class Transport { kUdp, kTcpClient, kTcpServer };
// As the options string has it ("UDPv4", whatever the family: what stock says of both).
std::string occ_proto(Transport transport);
// comp-lzo no, compress [stub], stub-v2; and those that a peer may compress under: comp-lzo and
// compress lzo, lz4, lz4-v2.
enum class Framing { kNone, kLzoNo, kStub, kStubV2, kLzo, kLz4, kLz4V2 };
inline constexpr int kFramings = 7;
constexpr bool may_compress(Framing framing) {
  return framing == Framing::kLzo || framing == Framing::kLz4 || framing == Framing::kLz4V2;
}
// One byte in every packet; the v2 kinds add none to IP.
constexpr bool adds_byte(Framing framing) {
  return framing == Framing::kLzoNo || framing == Framing::kStub || framing == Framing::kLzo ||
         framing == Framing::kLz4;
}

struct RemoteConfig {
  std::string host;  // name or literal
  std::string port;  // number or service name
  FamilyChoice family = FamilyChoice::kAny;
  Transport transport = Transport::kUdp;
  int connect_timeout_seconds = 120;  // over TCP, with a proxy's answer in it
  std::optional<ProxyConfig> proxy = std::nullopt;

  friend bool operator==(const RemoteConfig&, const RemoteConfig&) = default;
};

struct LinkConfig {
  std::vector<RemoteConfig> remotes;  // empty: wait for the peer
  bool remote_random = false;
  FamilyChoice family = FamilyChoice::kAny;
  Transport transport = Transport::kUdp;  // without remotes; a Peer is told its connection's here
  std::string local_host;                 // empty: any
  std::optional<std::string> local_port;  // nothing: nobind; default 1194
  bool float_allowed = false;
  bool ipv6_only = false;  // bind ipv6only
  // A TCP client takes any free port, unless `lport`, `local` or `bind` says otherwise.
  bool tcp_client_binds = false;
  int sndbuf_bytes = 0;  // 0: kernel's default
  int rcvbuf_bytes = 0;
  std::optional<std::uint32_t> mark;
  std::optional<int> mtu_disc;    // IP_MTU_DISCOVER's value
  bool pass_tos = false;          // passtos
  bool allow_recursion = false;   // allow-recursive-routing
  int resolv_retry_seconds = -1;  // -1: infinite
  int connect_retry_seconds = 1;
  int connect_retry_max_seconds = 300;
  int connect_retry_max = 0;       // tries over the list of remotes; 0: no end
  bool persist_remote_ip = false;  // a restart stays with the address that answered
};

struct CryptoConfig {
  bool null_mode = false;   // neither secret nor TLS: payload goes raw
  std::string secret_file;  // where the key came from, for messages; "[inline]"
  bool secret_inline = false;
  base::Place secret_place;  // of the line or block
  std::string secret_text;   // the inline block, until the key was read from it
  ovpn::KeyDirection direction = ovpn::KeyDirection::kBidirectional;
  std::string cipher = "BF-CBC";  // normalised name, or "none"
  std::string auth = "SHA1";
  bool replay = true;  // false: no-replay, the packet id is absent
  int replay_window_packets = 64;
  int replay_window_seconds = 15;
  Framing framing = Framing::kNone;
  std::optional<bool> compression_allowed;  // allow-compression: no, or asym and yes
  // Whether a server is told, before it asks, that it may compress what it sends.
  bool invites_compression() const { return compression_allowed.value_or(may_compress(framing)); }
  bool acknowledge_cleartext = false;
  // False where any datagram is taken at its word: in null mode, and with a key that neither
  // `cipher` nor `auth` uses.
  bool authenticates() const { return !null_mode && (cipher != "none" || auth != "none"); }
  bool persist_key = false;  // SIGUSR1 keeps the key in memory instead of reading it again
};

struct KeepaliveConfig {
  int ping_seconds = 0;  // 0: off, as all here
  int ping_restart_seconds = 0;
  int ping_exit_seconds = 0;
  bool timer_needs_remote = false;  // ping-timer-rem
  int inactive_seconds = 0;
  std::int64_t inactive_bytes = 0;
  int exit_notify_tries = 0;        // explicit-exit-notify; 0: off
  bool occ = true;                  // false: disable-occ
  int session_timeout_seconds = 0;  // pushed session-timeout: the end, however busy it is
};

struct MssfixConfig {
  using Meaning = ovpn::MssfixRule::Meaning;
  int bytes = 1492;  // 0: off
  Meaning meaning = Meaning::kMtu;
  bool given = false;  // false: a default, which follows the MTU
};

struct FragmentConfig {
  int bytes = 0;         // the largest UDP payload; 0: off
  bool with_ip = false;  // `mtu`: the largest IP packet instead
};

struct RouteConfig {
  // An address, IPv6 with /length; or vpn_gateway, net_gateway, remote_host.
  std::string destination;
  std::string netmask;  // IPv4 only; empty: host route
  std::string gateway;  // empty: the peer; vpn_gateway, net_gateway, remote_host or a literal
  std::optional<std::uint32_t> metric;
  base::Place place;
};

struct DeviceConfig {
  DeviceKind kind = DeviceKind::kTun;
  std::string name;  // "tun3"; "tun": the kernel picks a number
  int mtu = 1500;
  int txqueuelen = 0;                                     // 0: leave
  std::string ifconfig_local, ifconfig_remote_or_mask;    // empty: none
  std::string ifconfig_ipv6_local, ifconfig_ipv6_remote;  // local with /length
  bool topology_subnet = false;                           // ifconfig's second word is a netmask
  bool ifconfig_noexec = false, ifconfig_nowarn = false, route_noexec = false;
  std::vector<RouteConfig> routes, routes_ipv6;
  std::optional<std::uint32_t> route_metric;
  std::string route_gateway, route_ipv6_gateway;
  std::optional<int> route_delay_seconds;
  bool persist_tun = false;
  std::optional<RedirectConfig> redirect;  // redirect-gateway, redirect-private
  DnsWish dns;                             // dhcp-option, dns
  bool block_ipv6 = false;                 // IPv6 meant for the tunnel is refused here
};

struct ScriptConfig {
  int security = 1;                                          // script-security
  std::string up, down, route_up, route_pre_down, ipchange;  // command lines as written
  bool down_pre = false, up_restart = false;
  std::vector<std::pair<std::string, std::string>> environment;  // setenv, setenv-safe
};

struct ProcessConfig {
  std::string user, group, chroot, directory;  // user, group, chroot, cd
  bool daemon = false;
  std::string daemon_name;
  std::string log_file;
  bool log_append = false;
  bool log_syslog = false;
  std::string write_pid;
  std::string status_file;
  int status_seconds = 60;  // 0: at the start and the end only
  int nice = 0;
  bool mlock = false;
  int verb = 1, mute = 0;
  bool suppress_timestamps = false;
  std::string remap_usr1;  // SIGHUP, SIGTERM or empty
};

struct TunnelConfig {
  std::optional<TlsConfig> tls;  // nothing: a static key or null mode, see CryptoConfig
  DeviceConfig device;
  LinkConfig link;
  CryptoConfig crypto;
  KeepaliveConfig keepalive;
  MssfixConfig mssfix;
  FragmentConfig fragment;
  ScriptConfig scripts;
  ProcessConfig process;
  base::Problems warnings;  // to be told once at start: old cipher, cleartext and the like
};

// Reads the meaning of a config that check_directives and native_gaps let through. All problems in
// one go. Pure: file names are kept, no file is read. Relative paths stay as written.
base::Result<TunnelConfig, base::Problems> make_tunnel_config(const ovpn::Profile& profile);

}  // namespace config
