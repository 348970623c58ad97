// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/site_check.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cpu_list.h"
#include "base/ip.h"
#include "base/text.h"
#include "ovpn/line_words.h"
#include "ovpn/tunnel_addresses.h"
#include "supervisor/site/address_words.h"
#include "supervisor/site/checker.h"
#include "supervisor/site/mode_check.h"

namespace site {
namespace {

constexpr std::size_t kDevCharsMax = 15;
constexpr int kWatchdogSecondsMin = 3;  // the engine answers once per half period, 1 s at the least

void check_run(Checker& out, const Site& site, int cpu_count) {
  const RunOptions& run = site.run;
  if (!run.cpus.empty() && run.cpus != "all" && !is_cpus_word(run.cpus)) {
    const auto cpus = base::parse_cpu_list(run.cpus, cpu_count);
    if (!cpus) {
      out.problem("run.cpus", cpus.error().message,
                  cpus.error().remedy + ", or \"auto\", \"big\", \"little\", \"not-irq\", \"all\"");
    } else {
      const auto exists = [cpu_count](int cpu) { return cpu < cpu_count; };
      const std::string have = cpu_count == 1
                                   ? "this machine has only CPU 0"
                                   : "this machine has CPUs 0-" + std::to_string(cpu_count - 1);
      if (std::none_of(cpus->begin(), cpus->end(), exists)) {
        out.problem("run.cpus", "no CPU of " + in_quotes(run.cpus) + " exists", have);
      } else if (!std::all_of(cpus->begin(), cpus->end(), exists)) {
        out.warning("run.cpus", "some CPUs of " + in_quotes(run.cpus) + " do not exist", have);
      }
    }
  }
  if (run.watchdog_seconds > 0 && run.watchdog_seconds < kWatchdogSecondsMin) {
    out.problem("run.watchdog", "a watchdog under 3 seconds would kill a busy but sound tunnel",
                "write 0 for none, or 3 and more");
  }
  if (out.written("run.ready-timeout") && run.ready != Ready::kConnected) {
    out.warning("run.ready-timeout", "'run.ready-timeout' counts only with ready = \"connected\"",
                "take it out, or write ready = \"connected\"");
  }
}

// A block or another file would be more than the one line that a text stands for.
void check_options(Checker& out, const Site& site) {
  for (const char* key : {"options", "run.scripts"}) {
    if (!site.described || !out.written(key)) continue;
    out.problem(key, in_quotes(key) + " is about a config that is kept", "take it out");
  }
  for (const std::string& text : site.options) {
    const auto line = ovpn::split_config_line(text);
    const bool one_line = !line.error && !line.words.empty() && !line.words[0].starts_with('<') &&
                          line.words[0] != "config";
    if (one_line) continue;
    out.problem("options", in_quotes(text) + " is no line of an OpenVPN config",
                "write lines as they would stand in the file: [\"nobind\", \"verb 4\"]");
  }
}

void check_dns(Checker& out, const DnsOptions& dns) {
  const bool word = dns.use.size() == 1 && (dns.use[0] == "pushed" || dns.use[0] == "off");
  if (word) return;
  if (out.written("dns.use") && dns.use.empty()) {
    out.problem("dns.use", "'dns.use' is an empty list", "write \"off\" for no name servers");
  }
  for (const std::string& text : dns.use) {
    if (base::IpAddress::parse(text)) continue;
    out.problem("dns.use", in_quotes(text) + " is no address of a name server",
                "write \"pushed\", \"off\", or addresses: [\"10.8.0.1\"]");
  }
}

void check_dev(Checker& out, std::string_view key, std::string_view dev) {
  if (dev.empty()) return;
  const bool readable = std::none_of(dev.begin(), dev.end(), [](unsigned char c) {
    return c <= ' ' || c == '/' || c == ':' || c == '%' || c >= 0x7f;
  });
  if (dev.size() > kDevCharsMax) {
    out.problem(key, "interface name " + in_quotes(dev) + " is longer than 15 characters",
                "choose a shorter one");
  } else if (!readable || dev == "." || dev == "..") {
    out.problem(key, in_quotes(dev) + " is no name for an interface",
                "use letters, digits, - and _, for example \"tun3\"");
  } else if (dev != "tun" && dev != "tap" && is_taken_name(dev)) {
    out.problem(key, in_quotes(dev) + " has a meaning of its own as an interface",
                "choose another name, for example \"tun3\"");
  } else if (dev.starts_with("tap")) {
    out.problem(key, in_quotes(dev) + " would be a tap interface; a described site is a tun",
                "choose another name, or keep an OpenVPN config: config = \"FILE\"");
  } else if (dev == "tun") {
    out.problem(key, "\"tun\" would leave the number to the kernel",
                "name one (\"tun3\"), or take dev out: the interface is then called as the site");
  }
}

void check_remotes(Checker& out, std::string_view key, const std::vector<std::string>& remotes,
                   std::string_view site_proto, bool client = false) {
  for (const std::string& text : remotes) {
    const auto remote = parse_remote(text);
    if (!remote) {
      out.problem(key, in_quotes(text) + " is no host with an optional port",
                  client
                      ? "write \"host\", \"host:port\", \"[fd00::1]:2011\" or \"host:443 tcp\""
                      : "write \"host\", \"host:port\", \"10.0.0.1:2011\" or \"[fd00::1]:2011\"");
      continue;
    }
    if (!remote->proto.empty() && !client) {
      out.problem(key, in_quotes(text) + " names a protocol, as a client's remote may",
                  "write \"host\" or \"host:port\"");
      continue;
    }
    const std::string_view proto = remote->proto.empty() ? site_proto : remote->proto;
    const auto address = base::IpAddress::parse(remote->host);
    if (!address) continue;
    const std::string any(proto.substr(0, 3));
    if (proto.ends_with('4') && !address->is_v4()) {
      out.problem(key, in_quotes(text) + " is an IPv6 address, but proto is " + std::string(proto),
                  "write proto = \"" + any + "\" or \"" + any + "6\"");
    } else if (proto.ends_with('6') && address->is_v4()) {
      out.problem(key, in_quotes(text) + " is an IPv4 address, but proto is " + std::string(proto),
                  "write proto = \"" + any + "\" or \"" + any + "4\"");
    }
  }
}

// False if every remote is an address of the other family; a name may have either.
bool any_of_family(const std::vector<std::string>& remotes, bool v4) {
  const auto may_fit = [v4](const std::string& text) {
    const auto remote = parse_remote(text);
    const auto address = remote ? base::IpAddress::parse(remote->host) : std::nullopt;
    return !address || address->is_v4() == v4;
  };
  return remotes.empty() || std::any_of(remotes.begin(), remotes.end(), may_fit);
}

bool of_any_family(std::string_view proto) { return proto == "udp" || proto == "tcp"; }

void check_ports(Checker& out, const Described& tunnel) {
  if (tunnel.port && (tunnel.lport || tunnel.rport)) {
    out.problem("port", "'port' sets both ports, and 'lport' or 'rport' sets one again",
                "write either port, or lport and rport");
  }
  if (tunnel.nobind && (tunnel.lport || !tunnel.local.empty())) {
    out.problem("nobind", "'nobind' contradicts 'lport' and 'local'", "write one of them");
  }
  if (tunnel.nobind && tunnel.remote.empty()) {
    out.problem("nobind", "a tunnel that neither binds a port nor has a remote cannot be reached",
                "write remote, or take nobind out");
  }
  if (!tunnel.local.empty()) {
    const auto local = base::IpAddress::parse(tunnel.local);
    if (!local && !is_host_name(tunnel.local)) {
      out.problem("local", in_quotes(tunnel.local) + " is no address",
                  "write one of this machine's addresses");
    } else if (local && of_any_family(tunnel.proto) &&
               !any_of_family(tunnel.remote, local->is_v4())) {
      out.problem("local", in_quotes(tunnel.local) + " is of the other family than every remote",
                  "write an address of the remote's family, or take local out");
    } else if (local && !of_any_family(tunnel.proto) &&
               tunnel.proto.ends_with('4') != local->is_v4()) {
      out.problem("local",
                  in_quotes(tunnel.local) + " is of the other family than proto " + tunnel.proto,
                  "write proto = \"" + tunnel.proto.substr(0, 3) + "\", or an address that fits");
    }
  }
}

void check_ifconfig(Checker& out, const Described& tunnel) {
  const auto& pair = tunnel.ifconfig;
  if (pair.empty() && tunnel.ifconfig_ipv6.empty() && tunnel.dev != "null" && !is_client(tunnel)) {
    out.warning("ifconfig", "no 'ifconfig': the interface gets no address",
                "write ifconfig = [\"10.8.0.1\", \"10.8.0.2\"] (here, there)");
  }
  if (pair.empty()) return;
  if (pair.size() != 2) {
    out.problem("ifconfig", "'ifconfig' takes two addresses: this end's and the far end's",
                "write ifconfig = [\"10.8.0.1\", \"10.8.0.2\"]");
    return;
  }
  for (const std::string& text : pair) {
    const auto address = base::IpAddress::parse(text);
    if (!address) {
      out.problem("ifconfig", in_quotes(text) + " is no address",
                  "write ifconfig = [\"10.8.0.1\", \"10.8.0.2\"]");
    } else if (!address->is_v4()) {
      out.problem("ifconfig", in_quotes(text) + " is an IPv6 address",
                  "IPv6 goes into ifconfig-ipv6 = [\"fd00:8::1/64\", \"fd00:8::2\"]");
    }
  }
  if (pair[0] == pair[1]) {
    out.problem("ifconfig", "both ends have the address " + pair[0], "give each end its own");
  }
  if (pair[1].starts_with("255.")) {
    out.problem("ifconfig", in_quotes(pair[1]) + " looks like a netmask",
                "the second address is the far end's");
  }
}

void check_ifconfig_ipv6(Checker& out, const Described& tunnel) {
  const auto& pair = tunnel.ifconfig_ipv6;
  if (pair.empty()) return;
  const std::string remedy = "write ifconfig-ipv6 = [\"fd00:8::1/64\", \"fd00:8::2\"]";
  if (pair.size() != 2) {
    out.problem("ifconfig-ipv6",
                "'ifconfig-ipv6' takes this end's address with its length and the far end's",
                remedy);
    return;
  }
  const auto local = base::Prefix::parse(pair[0]);
  const auto remote = base::IpAddress::parse(pair[1]);
  if (!local || local->address.is_v4() || pair[0].find('/') == std::string::npos) {
    out.problem("ifconfig-ipv6", in_quotes(pair[0]) + " is no IPv6 address with a length", remedy);
  }
  if (!remote || remote->is_v4()) {
    out.problem("ifconfig-ipv6", in_quotes(pair[1]) + " is no IPv6 address", remedy);
  }
  if (local && remote && local->address == *remote) {
    out.problem("ifconfig-ipv6", "both ends have the address " + pair[1], "give each end its own");
  }
}

// As the engines refuse it, at the place where a person wrote it.
void check_clashes(Checker& out, const Described& tunnel) {
  std::vector<std::string> inside = tunnel.ifconfig;
  inside.insert(inside.end(), tunnel.ifconfig_ipv6.begin(), tunnel.ifconfig_ipv6.end());
  const std::string remedy(ovpn::kAddressClashRemedy);
  if (auto clash = ovpn::address_clash("local", tunnel.local, inside)) {
    out.problem("local", std::move(*clash), remedy);
  }
  for (const std::string& text : tunnel.remote) {
    const auto remote = parse_remote(text);
    if (!remote) continue;
    if (auto clash = ovpn::address_clash("remote", remote->host, inside)) {
      out.problem("remote", std::move(*clash), remedy);
    }
  }
}

void check_routes(Checker& out, std::string_view key, const std::vector<std::string>& routes,
                  base::IpFamily family) {
  const bool v4 = family == base::IpFamily::kIpv4;
  for (const std::string& text : routes) {
    const auto route = parse_route(text, family);
    if (!route) {
      out.problem(key, in_quotes(text) + " is no route",
                  v4 ? "write \"192.168.40.0/24\", with a gateway and a metric after it if needed"
                     : "write \"fd00:40::/64\", with a gateway and a metric after it if needed");
    } else if (has_host_bits(route->network)) {
      out.problem(key, in_quotes(text) + " has bits set behind its length",
                  "write \"" + network_of(route->network).to_string() + "\"");
    }
  }
}

// Of mode pki, and of a client, the private key may be encrypted.
bool may_ask(const Described& tunnel, std::string_view login) {
  if (login == "askpass") return tunnel.mode == Mode::kPki || is_client(tunnel);
  return login == "auth-user-pass" && tunnel.auth_user_pass;
}

void check_credentials(Checker& out, const Site& site) {
  for (const char* login : {"auth-user-pass", "askpass", "http-proxy-user-pass", "socks-proxy"}) {
    const std::string key = "credentials." + std::string(login);
    if (site.described && out.written(key) && !may_ask(*site.described, login)) {
      const bool could = is_client(*site.described) && std::string_view(login) == "auth-user-pass";
      out.problem(key,
                  could ? "this client asks nobody for a user name and a password"
                        : "a described tunnel asks nobody for this",
                  could ? "write auth-user-pass = true, or take it out" : "take it out");
    }
    check_credential(out, key, site.credentials.of(login));
  }
}

bool is_mssfix(std::string_view text) {
  const auto words = base::split_words(text);
  const auto bytes = words.empty() ? std::nullopt : base::parse_number<int>(words[0]);
  if (!bytes || *bytes < 0 || *bytes > 65535 || words.size() > 2) return false;
  return words.size() == 1 || words[1] == "mtu" || words[1] == "fixed";
}

void check_rest(Checker& out, const Described& tunnel) {
  if (!tunnel.mssfix.empty() && !is_mssfix(tunnel.mssfix)) {
    out.problem("mssfix", in_quotes(tunnel.mssfix) + " is no size",
                "write a number of bytes, or \"1400 mtu\" or \"1400 fixed\"; 0 is off");
  }
  if (!tunnel.compress.empty() && !tunnel.comp_lzo.empty()) {
    out.problem("compress", "'compress' and 'comp-lzo' are two framings of the same packet",
                "write the one that the far end has");
  }
  const auto& keepalive = tunnel.keepalive;
  if (keepalive.empty()) {
    if (is_client(tunnel)) return;  // servers say it to their clients
    out.warning("keepalive", "no 'keepalive': nobody notices when the far end is gone",
                "write keepalive = [10, 60]");
  } else if (keepalive.size() != 2 || keepalive[1] < 2 * keepalive[0]) {
    out.problem("keepalive", "'keepalive' takes an interval and a limit of at least twice as much",
                "write keepalive = [10, 60]");
  }
}

void check_described(Checker& out, const Site& site, const Described& tunnel) {
  check_mode(out, site, tunnel);
  check_dev(out, "dev", tunnel.dev);
  check_ports(out, tunnel);
  check_remotes(out, "remote", tunnel.remote, tunnel.proto, is_client(tunnel));
  check_ifconfig(out, tunnel);
  check_ifconfig_ipv6(out, tunnel);
  check_clashes(out, tunnel);
  check_routes(out, "route", tunnel.route, base::IpFamily::kIpv4);
  check_routes(out, "route-ipv6", tunnel.route_ipv6, base::IpFamily::kIpv6);
  check_rest(out, tunnel);
}

}  // namespace

// As systemd names them (systemd.exec(5), LoadCredential=).
void check_credential(Checker& out, std::string_view key, std::string_view value) {
  if (!value.starts_with(kCredential)) return;
  value.remove_prefix(kCredential.size());
  const bool good = !value.empty() && value != "." && value != ".." &&
                    std::all_of(value.begin(), value.end(), [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
                    });
  if (good) return;
  out.problem(key, in_quotes(value) + " is no name for a credential", "write \"credential:vpn\"");
}

CheckResult check_site(const Site& site, int cpu_count) {
  Checker out(site);
  if (site.described) check_described(out, site, *site.described);
  if (!site.described && site.config.empty()) {
    out.problem("config", "'config' names no file",
                "write config = \"/etc/tunctl/ovpn/" + site.name + ".conf\"");
  }
  check_options(out, site);
  check_run(out, site, cpu_count);
  check_dns(out, site.dns);
  check_credentials(out, site);
  check_remotes(out, "far-end.remote", site.far_end.remote, "udp");
  check_routes(out, "far-end.route", site.far_end.route, base::IpFamily::kIpv4);
  check_routes(out, "far-end.route-ipv6", site.far_end.route_ipv6, base::IpFamily::kIpv6);
  check_dev(out, "far-end.dev", site.far_end.dev);
  return out.finish();
}

}  // namespace site
