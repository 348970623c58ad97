// SPDX-License-Identifier: Apache-2.0
// What the reading tables share: one row per directive, one handler per row, and helpers that turn
// words into values or into a Problem with its place. Private to this room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fastpath/config/tunnel_config.h"

namespace config {

// One pass over a profile. Words that only make sense once everything is read wait in here.
struct Reading {
  TunnelConfig& config;
  base::Problems& problems;
  std::string local_port = "1194";
  int connect_timeout_seconds = 120;
  bool nobind = false;
  bool local_port_given = false, bind_given = false;
  bool cipher_given = false, auth_given = false, secret_given = false;
  bool ping_timeout_given = false;
  base::Place nobind_place = {};
  std::optional<int> link_mtu = {};
  base::Place link_mtu_place = {};
  base::Problems bad_routes = {};  // see finish_device()

  // Of TLS mode, whose values become a part of the config only if it is one.
  TlsConfig tls = {};
  bool tls_client = false, tls_server = false;
  std::optional<int> key_direction = {};
  std::string data_ciphers = {};  // as written; the last of data-ciphers and ncp-ciphers
  std::string groups_of_curve = {};
  base::Place data_ciphers_place = {}, cipher_place = {};
  int compat_version = 0;  // compat-mode: 2.4.1 is 20401
  bool version_min_given = false;

  bool tls_mode() const { return tls_client || tls_server || tls.pull.pull; }

  void problem(const ovpn::Directive& at, std::string message, std::string remedy = {});
  void warning(const base::Place& at, std::string message, std::string remedy = {});
};

using Handler = void (*)(Reading&, const ovpn::Directive&);
struct ReadingRow {
  std::string_view name;
  Handler read;
};

// By the tables below.
void read_directive(Reading& reading, const ovpn::Directive& directive);

// Together these know every directive the fast path honours; the rest is harmless or was refused.
std::span<const ReadingRow> crypto_rows();
std::span<const ReadingRow> device_rows();
std::span<const ReadingRow> keepalive_rows();
std::span<const ReadingRow> link_rows();
std::span<const ReadingRow> process_rows();
std::span<const ReadingRow> script_rows();
std::span<const ReadingRow> tls_rows();
std::span<const ReadingRow> certificate_rows();
std::span<const ReadingRow> negotiation_rows();
std::span<const ReadingRow> host_wish_rows();

// What needs the whole config: defaults that depend on others, conflicts, warnings.
void finish_crypto(Reading& reading);
void finish_device(Reading& reading, const ovpn::Profile& profile);
void finish_link(Reading& reading, const ovpn::Profile& profile);
void finish_tls(Reading& reading);
void finish_negotiation(Reading& reading);

// `ca FILE`, `<ca>` and the old `ca [inline]` beside a block. `index`: of the word that names it.
ConfigFile file_of(Reading& reading, const ovpn::Directive& directive, std::size_t index = 0);

// The proxy of a connection: of its <connection> block, else of the whole config (read_proxy.cc).
std::optional<ProxyConfig> read_proxy(Reading& reading, const ovpn::Profile& profile,
                                      const std::vector<ovpn::Directive>& block);

// args[index], or the empty string.
std::string word(const ovpn::Directive& directive, std::size_t index);
// args[index] as a number within the limits; otherwise one Problem and nothing.
std::optional<std::int64_t> number(Reading& reading, const ovpn::Directive& directive,
                                   std::size_t index, std::int64_t min, std::int64_t max);
// The same into `to`, which stays as it was on a Problem or when the word is absent.
void number_into(Reading& reading, const ovpn::Directive& directive, std::size_t index,
                 std::int64_t min, std::int64_t max, int& to);
// A port as bind(2) takes it: 1..65535 or a service's name. Adds a Problem and returns false if
// not.
bool port_ok(Reading& reading, const ovpn::Directive& directive, const std::string& text);
void check_ifconfig(Reading& reading);
MssfixConfig mssfix_for(const MssfixConfig& mssfix, int mtu, int fragment_bytes);

// What follows "udp" or "tcp" in a protocol's name; a Problem for others.
std::optional<FamilyChoice> family_of(Reading& reading, const ovpn::Directive& directive,
                                      const std::string& proto);
// Of a name that family_of() knows. `tcp` without a role is a client's, unless `tls_server`.
Transport transport_of(const std::string& proto, bool tls_server);

}  // namespace config
