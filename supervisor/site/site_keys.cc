// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/site_keys.h"

#include <algorithm>

#include "base/text.h"

namespace site {
namespace {

constexpr std::int64_t kPortMax = 65535;
constexpr std::int64_t kIntMax = 2147483647;

void set_type(Site& site, std::string_view word) {
  site.described->type = word == "client" ? Type::kClient : Type::kP2p;
}
void set_irq(Site&, std::string_view) {}  // they are left as they are, and nothing else
void set_mode(Site& site, std::string_view word) {
  site.described->mode = word == "fingerprint" ? Mode::kFingerprint
                         : word == "pki"       ? Mode::kPki
                         : word == "none"      ? Mode::kNone
                                               : Mode::kStaticKey;
}
void set_engine(Site& site, std::string_view word) {
  site.run.engine = word == "fastpath"  ? EngineChoice::kFastpath
                    : word == "openvpn" ? EngineChoice::kOpenvpn
                                        : EngineChoice::kAuto;
}
void set_threads(Site& site, std::string_view word) {
  site.run.threads = base::parse_number<int>(word).value_or(0);
}
void set_scripts(Site& site, std::string_view word) { site.run.scripts = word == "on"; }
void set_ready(Site& site, std::string_view word) {
  site.run.ready = word == "connected" ? Ready::kConnected : Ready::kStarted;
}

SiteKey text(std::string_view path, std::string_view directive, Emit emit, KeyForm form,
             std::string_view example, KeyField field) {
  return {path, directive, emit, form, KeyKind::kText, {}, 0, 0, example, field};
}
SiteKey word(std::string_view path, std::string_view directive, Emit emit, KeyForm form,
             std::string_view words, std::string_view example, KeyField field) {
  return {path, directive, emit, form, KeyKind::kWord, words, 0, 0, example, field};
}
SiteKey number(std::string_view path, std::string_view directive, std::int64_t min,
               std::int64_t max, std::string_view example, KeyField field) {
  const bool own = directive.empty();
  return {path,
          directive,
          own ? Emit::kNothing : Emit::kLine,
          own ? KeyForm::kBoth : KeyForm::kDescribed,
          KeyKind::kNumber,
          {},
          min,
          max,
          example,
          field};
}
SiteKey flag(std::string_view path, std::string_view directive, KeyForm form, KeyField field) {
  const Emit emit = directive.empty() ? Emit::kNothing : Emit::kLine;
  return {path, directive, emit, form, KeyKind::kSwitch, {}, 0, 0, "true", field};
}
SiteKey texts(std::string_view path, std::string_view directive, Emit emit, KeyForm form,
              std::string_view example, KeyField field) {
  return {path, directive, emit, form, KeyKind::kTexts, {}, 0, 0, example, field};
}

SiteKey login(std::string_view path, std::string_view directive, std::string Credentials::*field) {
  return text(path, directive, Emit::kNothing, KeyForm::kConfig, "\"credential:vpn\"", field);
}

using D = Described;
using R = RunOptions;
constexpr KeyForm kBoth = KeyForm::kBoth;
constexpr KeyForm kDescribed = KeyForm::kDescribed;

std::vector<SiteKey> tunnel_keys() {
  return {
      text("description", "", Emit::kNothing, kBoth, "\"Home - workshop\"", &Site::description),
      text("config", "config", Emit::kNothing, KeyForm::kConfig, "\"/etc/tunctl/ovpn/site-a.conf\"",
           &Site::config),
      texts("options", "", Emit::kNothing, KeyForm::kConfig, "[\"nobind\"]", &Site::options),
      word("type", "", Emit::kSpecial, kDescribed, "p2p|client", "\"p2p\"", &set_type),
      word("mode", "", Emit::kNothing, kDescribed, "fingerprint|pki|static-key|none",
           "\"fingerprint\"", &set_mode),
      flag("acknowledge-cleartext", "", kBoth, &Site::acknowledge_cleartext),

      word("proto", "proto", Emit::kLine, kDescribed, "udp|udp4|udp6|tcp|tcp4|tcp6", "\"udp\"",
           &D::proto),
      number("port", "port", 1, kPortMax, "1194", &D::port),
      number("lport", "lport", 0, kPortMax, "1194", &D::lport),
      number("rport", "rport", 1, kPortMax, "1194", &D::rport),
      text("local", "local", Emit::kLine, kDescribed, "\"192.0.2.1\"", &D::local),
      texts("remote", "remote", Emit::kSpecial, kDescribed, "[\"gw-b.example\"]", &D::remote),
      flag("nobind", "nobind", kDescribed, &D::nobind),
      flag("float", "float", kDescribed, &D::floating),

      text("dev", "dev", Emit::kSpecial, kDescribed, "\"tun3\"", &D::dev),
      texts("ifconfig", "ifconfig", Emit::kLine, kDescribed, "[\"10.8.0.1\", \"10.8.0.2\"]",
            &D::ifconfig),
      texts("ifconfig-ipv6", "ifconfig-ipv6", Emit::kLine, kDescribed,
            "[\"fd00:8::1/64\", \"fd00:8::2\"]", &D::ifconfig_ipv6),
      texts("route", "route", Emit::kSpecial, kDescribed, "[\"192.168.40.0/24\"]", &D::route),
      texts("route-ipv6", "route-ipv6", Emit::kEach, kDescribed, "[\"fd00:40::/64\"]",
            &D::route_ipv6),
      texts("redirect-gateway", "redirect-gateway", Emit::kLine, kDescribed, "[\"def1\"]",
            &D::redirect_gateway),
      flag("route-nopull", "route-nopull", kDescribed, &D::route_nopull),
      texts("pull-filter", "pull-filter", Emit::kSpecial, kDescribed, "[\"ignore dhcp-option\"]",
            &D::pull_filter),
      number("tun-mtu", "tun-mtu", 100, 65535, "1500", &D::tun_mtu),
      text("mssfix", "mssfix", Emit::kLine, kDescribed, "1400", &D::mssfix),
      number("txqueuelen", "txqueuelen", 0, kIntMax, "1000", &D::txqueuelen),
  };
}

// What protects the packets, and how the two ends keep together.
std::vector<SiteKey> protection_keys() {
  return {
      word("role", "", Emit::kSpecial, kDescribed, "server|client", "\"server\"", &D::role),
      text("ca", "ca", Emit::kSpecial, kDescribed, "\"ca.crt\"", &D::ca),
      text("cert", "cert", Emit::kSpecial, kDescribed, "\"tls.crt\"", &D::cert),
      text("key", "key", Emit::kSpecial, kDescribed, "\"tls.key\"", &D::key),
      flag("auth-user-pass", "auth-user-pass", kDescribed, &D::auth_user_pass),
      texts("peer-fingerprint", "peer-fingerprint", Emit::kSpecial, kDescribed, "[\"6E:3C:...\"]",
            &D::peer_fingerprint),
      word("remote-cert-tls", "remote-cert-tls", Emit::kSpecial, kDescribed, "server|client|off",
           "\"server\"", &D::remote_cert_tls),
      texts("verify-x509-name", "verify-x509-name", Emit::kLine, kDescribed, "[\"gw-b\", \"name\"]",
            &D::verify_x509_name),
      text("tls-auth", "tls-auth", Emit::kSpecial, kDescribed, "\"ta.key\"", &D::tls_auth),
      text("tls-crypt", "tls-crypt", Emit::kSpecial, kDescribed, "\"tc.key\"", &D::tls_crypt),
      text("tls-crypt-v2", "tls-crypt-v2", Emit::kSpecial, kDescribed, "\"tc2.key\"",
           &D::tls_crypt_v2),
      texts("data-ciphers", "data-ciphers", Emit::kSpecial, kDescribed, "[\"AES-256-GCM\"]",
            &D::data_ciphers),
      text("secret", "secret", Emit::kSpecial, kDescribed, "\"site-a.key\"", &D::secret),
      number("key-direction", "key-direction", 0, 1, "0", &D::key_direction),
      text("cipher", "cipher", Emit::kSpecial, kDescribed, "\"AES-256-CBC\"", &D::cipher),
      text("auth", "auth", Emit::kSpecial, kDescribed, "\"SHA256\"", &D::auth),
      word("compress", "compress", Emit::kLine, kDescribed, "stub|stub-v2", "\"stub-v2\"",
           &D::compress),
      word("comp-lzo", "comp-lzo", Emit::kLine, kDescribed, "no", "\"no\"", &D::comp_lzo),

      SiteKey{"keepalive",
              "keepalive",
              Emit::kLine,
              kDescribed,
              KeyKind::kNumbers,
              {},
              1,
              86400,
              "[10, 60]",
              &D::keepalive},
      number("explicit-exit-notify", "explicit-exit-notify", 0, 100, "2", &D::explicit_exit_notify),
      number("sndbuf", "sndbuf", 0, kIntMax, "1048576", &D::sndbuf),
      number("rcvbuf", "rcvbuf", 0, kIntMax, "1048576", &D::rcvbuf),
      number("mark", "mark", 1, kIntMax, "8", &D::mark),
      number("verb", "verb", 0, 11, "1", &D::verb),
  };
}

std::vector<SiteKey> table_keys() {
  return {
      word("run.engine", "", Emit::kNothing, kBoth, "auto|fastpath|openvpn", "\"auto\"",
           &set_engine),
      text("run.cpus", "", Emit::kNothing, kBoth, "\"auto\"", &R::cpus),
      word("run.irq", "", Emit::kNothing, kBoth, "leave", "\"leave\"", &set_irq),
      word("run.threads", "", Emit::kNothing, kBoth, "auto|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16",
           "\"auto\"", &set_threads),
      word("run.ready", "", Emit::kNothing, kBoth, "started|connected", "\"started\"", &set_ready),
      number("run.ready-timeout", "", 1, 3600, "90", &R::ready_timeout_seconds),
      number("run.watchdog", "", 0, 3600, "10", &R::watchdog_seconds),
      number("run.clock-wait", "", 0, 86400, "600", &R::clock_wait_seconds),
      flag("run.resume", "", kBoth, &R::resume),
      word("run.scripts", "", Emit::kNothing, KeyForm::kConfig, "on|off", "\"off\"", &set_scripts),

      texts("dns.use", "", Emit::kNothing, kBoth, "\"pushed\"", &DnsOptions::use),

      login("credentials.auth-user-pass", "auth-user-pass", &Credentials::auth_user_pass),
      login("credentials.askpass", "askpass", &Credentials::askpass),
      login("credentials.http-proxy-user-pass", "http-proxy-user-pass",
            &Credentials::http_proxy_user_pass),
      login("credentials.socks-proxy", "socks-proxy", &Credentials::socks_proxy),

      texts("far-end.remote", "remote", Emit::kNothing, kBoth, "[\"gw-a.example\"]",
            &FarEnd::remote),
      texts("far-end.route", "route", Emit::kNothing, kBoth, "[\"192.168.10.0/24\"]",
            &FarEnd::route),
      texts("far-end.route-ipv6", "route-ipv6", Emit::kNothing, kBoth, "[\"fd00:10::/64\"]",
            &FarEnd::route_ipv6),
      text("far-end.dev", "dev", Emit::kNothing, kBoth, "\"tun3\"", &FarEnd::dev),
  };
}

}  // namespace

std::span<const SiteKey> site_keys() {
  static const std::vector<SiteKey> table = [] {
    std::vector<SiteKey> keys = tunnel_keys();
    for (const auto& more : {protection_keys(), table_keys()}) {
      keys.insert(keys.end(), more.begin(), more.end());
    }
    return keys;
  }();
  return table;
}

const SiteKey* find_site_key(std::string_view path) {
  const auto keys = site_keys();
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [path](const SiteKey& key) { return key.path == path; });
  return found == keys.end() ? nullptr : &*found;
}

std::string_view to_string(EngineChoice choice) {
  switch (choice) {
    case EngineChoice::kFastpath:
      return "fastpath";
    case EngineChoice::kOpenvpn:
      return "openvpn";
    case EngineChoice::kAuto:
      break;
  }
  return "auto";
}

std::string_view to_string(Ready ready) {
  return ready == Ready::kConnected ? "connected" : "started";
}

std::string_view to_string(Mode mode) {
  switch (mode) {
    case Mode::kFingerprint:
      return "fingerprint";
    case Mode::kPki:
      return "pki";
    case Mode::kNone:
      return "none";
    case Mode::kStaticKey:
      break;
  }
  return "static-key";
}

}  // namespace site
