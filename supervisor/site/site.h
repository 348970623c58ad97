// SPDX-License-Identifier: Apache-2.0
// What an admin wants of one tunnel: the site file as a value. Made from bytes once (site_toml.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace site {

enum class EngineChoice { kAuto, kFastpath, kOpenvpn };
enum class Ready { kStarted, kConnected };
// Who the far end is: an equal, or a server that says what else there is.
enum class Type { kP2p, kClient };
enum class Mode { kFingerprint, kPki, kStaticKey, kNone };

inline constexpr int kClockWaitSeconds = 600;  // the native engine's own default

// [run]: what tunctl adds to a tunnel, the same for both forms of a site.
struct RunOptions {
  EngineChoice engine = EngineChoice::kAuto;
  // taskset's list, "all", or a word of is_cpus_word(); empty: not asked for.
  std::string cpus;
  int threads = 0;  // 0: auto
  Ready ready = Ready::kStarted;
  int ready_timeout_seconds = 90;              // of ready = "connected" only
  int watchdog_seconds = 10;                   // 0: off
  int clock_wait_seconds = kClockWaitSeconds;  // 0: off
  bool resume = true;                          // a run goes on with what the last one left
  bool scripts = true;                         // a kept config's up, down and their like run
};

// The second form: the tunnel described in tables. Keys carry their directive's name.
struct Described {
  Type type = Type::kP2p;
  // Of a client that does not write it: fingerprint where peer-fingerprint is written and ca is
  // not, else pki.
  Mode mode = Mode::kStaticKey;
  std::string proto = "udp";  // udp, udp4, udp6; of a client also tcp, tcp4, tcp6
  std::optional<int> port, lport, rport;
  std::string local;
  std::vector<std::string> remote;         // as parse_remote() reads them
  std::string dev;                         // empty: the site's name
  std::vector<std::string> ifconfig;       // local, remote
  std::vector<std::string> ifconfig_ipv6;  // local/length, remote
  std::string secret;                      // file below keys/NAME, or absolute path
  std::optional<int> key_direction;        // 0, 1; this end's
  std::string cipher = "AES-256-CBC";      // what a described site renders when it says nothing
  std::string auth = "SHA256";             // of a client: only if it is written
  // Of modes fingerprint and pki, which are TLS.
  std::string role;       // "server", "client"; empty: is_tls_server() derives it
  std::string cert, key;  // files below keys/NAME, or absolute paths
  std::vector<std::string> peer_fingerprint;  // as fingerprint.h reads them; any of them will do
  std::vector<std::string> data_ciphers;      // empty: the engine's own list
  // Of mode pki: who signed the far end's certificate, and what must stand in it.
  std::string ca;  // a file like cert
  // What wraps the handshake, files like cert; at most one.
  std::string tls_auth, tls_crypt, tls_crypt_v2;
  std::string remote_cert_tls;                 // "server", "client", "off"; empty: the other role
  std::vector<std::string> verify_x509_name;   // a name and how it is compared
  std::vector<int> keepalive;                  // interval, timeout
  std::vector<std::string> route, route_ipv6;  // "net/len" or "net/len gateway metric"
  std::vector<std::string> redirect_gateway;   // flags of OpenVPN's
  std::optional<int> tun_mtu, sndbuf, rcvbuf, txqueuelen, mark;
  std::string mssfix;                     // "1400", "1400 mtu", "1400 fixed", "0"
  bool floating = false, nobind = false;  // float, nobind
  std::optional<int> explicit_exit_notify;
  std::string compress;  // "stub", "stub-v2" or empty
  std::string comp_lzo;  // "no" or empty
  std::optional<int> verb;
  // Of a client.
  bool auth_user_pass = false;  // the server asks for a user name and a password
  bool route_nopull = false;
  std::vector<std::string> pull_filter;  // "accept TEXT", "ignore TEXT", "reject TEXT"
};

// What may stand in run.cpus in place of a list, and is decided when the engine starts: "auto",
// "big", "little", "not-irq".
bool is_cpus_word(std::string_view text);

// Which end of TLS this one is: without a role, the one that waits to be called is the server.
bool is_tls_server(const Described& tunnel);
inline bool is_client(const Described& tunnel) { return tunnel.type == Type::kClient; }
inline bool is_tls(Mode mode) { return mode == Mode::kFingerprint || mode == Mode::kPki; }

// [dns]: what becomes of the name servers that come with the tunnel.
struct DnsOptions {
  // "pushed": this machine's, wherever it keeps them; "off": none; or addresses of name servers, in
  // place of those that come. Empty: systemd-resolved is told, nothing else is changed.
  std::vector<std::string> use;
};

// [credentials]: where a kept config's logins are, other than where `tunctl credentials` puts them:
// a file below keys/NAME, an absolute path, or "credential:ID".
struct Credentials {
  std::string auth_user_pass, askpass, http_proxy_user_pass, socks_proxy;

  // Of a directive's name; empty: not said.
  std::string of(std::string_view login) const;
};

// [far-end]: what only the other machine needs to know; used by `render --far-end`.
struct FarEnd {
  std::vector<std::string> remote;             // how the far end reaches this machine
  std::vector<std::string> route, route_ipv6;  // networks behind this machine
  std::string dev;                             // its interface; empty: as here
};

struct Site {
  std::string name;  // file's name without .toml; interface name and instance
  std::string file;  // where it was read from, for messages
  std::string description;
  // First form: the OpenVPN config's path; empty: described. A relative one lies in
  // /etc/tunctl/ovpn.
  std::string config;
  std::vector<std::string> options;  // lines that are read as if they stood at its end
  std::optional<Described> described;
  bool acknowledge_cleartext = false;
  RunOptions run;
  DnsOptions dns;
  Credentials credentials;
  FarEnd far_end;
  // Where each key stands in the file ("run.cpus" -> place), so that later checks can point.
  std::map<std::string, base::Place, std::less<>> places;

  base::Place place_of(std::string_view key) const;  // the file itself if the key is not written
};

// How a value begins that names what systemd holds for the site's unit (systemd.exec(5),
// LoadCredential=), and no file.
inline constexpr std::string_view kCredential = "credential:";
// Where the unit's processes find what "credential:ID" names; empty: the value is none.
std::string credential_path(std::string_view site, std::string_view value);
// The key of the first such value; empty: the site has none.
std::string key_with_credential(const Site& site);

// [a-z0-9][a-z0-9_-]{0,14}: also an interface name and a unit instance that needs no escaping. Not
// those that is_taken_name() names.
bool is_site_name(std::string_view name);
bool is_taken_name(std::string_view name);        // all, default, lo, null, tap, tun
std::string no_site_name(std::string_view name);  // what to say where is_site_name() is false

struct SiteReading {
  std::optional<Site> site;  // absent if there is any problem
  // What could be read in spite of problems, for finding more of them in one go; absent where the
  // file is no TOML.
  std::optional<Site> partial;
  base::Problems problems;  // all, in order of the file
};

// Pure: `bytes` are the file's. Every problem is file:line:column with a remedy; unknown keys get a
// nearest-name hint.
SiteReading read_site(std::string_view name, std::string_view file, std::string_view bytes);

}  // namespace site
