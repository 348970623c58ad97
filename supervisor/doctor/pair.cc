// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "ovpn/remote_list.h"
#include "ovpn/tunnel_kind.h"
#include "supervisor/doctor/looks.h"
#include "supervisor/render/cipher_advice.h"

namespace doctor {
namespace {

class Pair {
 public:
  Pair(std::string_view here, const ovpn::Profile& a, std::string_view there,
       const ovpn::Profile& b)
      : here_(here), there_(there), a_(a), b_(b) {}

  Findings run() {
    if (!same_mode()) return std::move(findings_);
    const auto mode = ovpn::tunnel_mode(a_);
    compare_transport();
    compare_ports();
    compare_addresses();
    if (mode == ovpn::TunnelMode::kStaticKey) compare_static();
    if (mode == ovpn::TunnelMode::kTls) compare_tls();
    compare_sizes();
    compare_framing();
    if (findings_.empty()) {
      findings_.push_back(good("pair", "", here_ + " and " + there_ + " fit together"));
    }
    return std::move(findings_);
  }

 private:
  void differ(const char* check, const std::string& evidence, std::string remedy) {
    findings_.push_back(fault(check, "", evidence, std::move(remedy)));
  }
  void differ(const char* check, const std::string& what, const std::string& of_a,
              const std::string& of_b, std::string remedy) {
    differ(check, fmt::format("{} is {} in {} and {} in {}", what, of_a, here_, of_b, there_),
           std::move(remedy));
  }

  bool same_mode() {
    const auto name = [](const ovpn::Profile& profile) {
      switch (ovpn::tunnel_mode(profile)) {
        case ovpn::TunnelMode::kStaticKey:
          return "a static key";
        case ovpn::TunnelMode::kTls:
          return "TLS";
        case ovpn::TunnelMode::kNull:
          return "no cryptography";
      }
      return "";
    };
    if (ovpn::tunnel_mode(a_) == ovpn::tunnel_mode(b_)) return true;
    differ("mode", "the tunnel's protection", name(a_), name(b_), "make both ends the same");
    return false;
  }

  void compare_transport() {
    const bool udp_a = ovpn::uses_udp(a_), udp_b = ovpn::uses_udp(b_);
    if (udp_a != udp_b) {
      differ("proto", "proto", udp_a ? "udp" : "tcp", udp_b ? "udp" : "tcp",
             "`proto` the same at both ends");
    } else if (!udp_a) {
      const std::string a = ovpn::config_proto(a_), b = ovpn::config_proto(b_);
      const bool calls_a = a.find("server") == std::string::npos;
      const bool calls_b = b.find("server") == std::string::npos;
      if (calls_a == calls_b && !a_.has("server") && !b_.has("server")) {
        differ("proto",
               calls_a ? "both ends call by TCP, and none listens"
                       : "both ends listen for TCP, and none calls",
               "`proto tcp-server` at one end, `proto tcp-client` at the other");
      }
    }
    if (ovpn::remote_list(a_).empty() && ovpn::remote_list(b_).empty()) {
      differ("remote", "neither end has a `remote`: each waits for the other",
             "`remote ADDRESS` at one end at least");
    }
  }

  // To which port one calls, and where the other listens.
  void compare_ports() {
    compare_port(a_, here_, b_, there_);
    compare_port(b_, there_, a_, here_);
  }
  void compare_port(const ovpn::Profile& caller, const std::string& caller_name,
                    const ovpn::Profile& called, const std::string& called_name) {
    const auto remotes = ovpn::remote_list(caller);
    if (remotes.empty() || called.has("nobind")) return;
    const std::string listens = ovpn::local_port(called);
    const bool any = std::any_of(remotes.begin(), remotes.end(), [&](const ovpn::Remote& remote) {
      return remote.port == listens;
    });
    if (any) return;
    differ("port",
           fmt::format("{} calls port {}, and {} is at port {}", caller_name, remotes.front().port,
                       called_name, listens),
           "make them the same, unless a router between them turns one into the other");
  }

  void compare_addresses() {
    const auto a1 = a_.arg("ifconfig", 0), a2 = a_.arg("ifconfig", 1);
    const auto b1 = b_.arg("ifconfig", 0), b2 = b_.arg("ifconfig", 1);
    if (!a1 || !a2 || !b1 || !b2 || a2->starts_with("255.") || b2->starts_with("255.")) return;
    if (*a1 == *b2 && *a2 == *b1) return;
    differ(
        "ifconfig", "`ifconfig`", *a1 + " " + *a2, *b1 + " " + *b2,
        fmt::format("the one is the other turned round: `ifconfig {} {}` in {}", *a2, *a1, there_));
  }

  void compare_static() {
    const auto name = [](const auto* found) {
      return found == nullptr ? std::string("unknown") : std::string(found->name);
    };
    if (ovpn::configured_cipher(a_) != ovpn::configured_cipher(b_)) {
      differ("cipher", "the cipher", name(ovpn::configured_cipher(a_)),
             name(ovpn::configured_cipher(b_)), "`cipher` the same at both ends");
    }
    if (ovpn::configured_digest(a_) != ovpn::configured_digest(b_)) {
      differ("auth", "the digest", name(ovpn::configured_digest(a_)),
             name(ovpn::configured_digest(b_)), "`auth` the same at both ends");
    }
    const auto direction_a = ovpn::key_direction(a_), direction_b = ovpn::key_direction(b_);
    if (!fit(direction_a, direction_b)) {
      differ("direction", "the key's direction", word(direction_a), word(direction_b),
             "0 at one end and 1 at the other, or none at both");
    }
    compare_keys("secret");
  }

  static bool fit(ovpn::KeyDirection a, ovpn::KeyDirection b) {
    const bool both = a == ovpn::KeyDirection::kBidirectional;
    return both ? b == a : b != ovpn::KeyDirection::kBidirectional && a != b;
  }
  static std::string word(ovpn::KeyDirection direction) {
    switch (direction) {
      case ovpn::KeyDirection::kBidirectional:
        return "none";
      case ovpn::KeyDirection::kNormal:
        return "0";
      case ovpn::KeyDirection::kInverse:
        return "1";
    }
    return "";
  }

  void compare_keys(const char* name) {
    const ovpn::Directive* a = a_.last(name);
    const ovpn::Directive* b = b_.last(name);
    if (a == nullptr || b == nullptr || !a->body || !b->body) return;
    const auto lines = [](const std::string& body) {
      std::string kept;
      for (const auto line : base::split(body, '\n')) {
        const auto text = base::trim(line);
        if (!text.empty() && text[0] != '#' && text[0] != ';') kept.append(text).append("\n");
      }
      return kept;
    };
    if (lines(*a->body) == lines(*b->body)) return;
    differ("key", fmt::format("the keys of `{}` are not the same", name),
           "copy the key of one end to the other");
  }

  void compare_tls() {
    const auto is_server = [](const ovpn::Profile& profile) {
      return profile.has("tls-server") || profile.has("server") ||
             profile.arg("mode").value_or("") == "server";
    };
    if (is_server(a_) == is_server(b_)) {
      differ("role", is_server(a_) ? "both ends are TLS servers" : "both ends are TLS clients",
             "`tls-server` at one end, `tls-client` (or `client`) at the other");
    }
    for (const char* wrap : {"tls-auth", "tls-crypt"}) compare_wrap(wrap);
    compare_ciphers();
    const auto a = ovpn::configured_digest(a_), b = ovpn::configured_digest(b_);
    if (a_.has("tls-auth") && b_.has("tls-auth") && a != b) {
      differ("auth", "the digest, which tls-auth uses,",
             a == nullptr ? "unknown" : std::string(a->name),
             b == nullptr ? "unknown" : std::string(b->name), "`auth` the same at both ends");
    }
  }

  void compare_wrap(const char* name) {
    const bool a = a_.has(name), b = b_.has(name);
    if (a != b && !a_.has("tls-crypt-v2") && !b_.has("tls-crypt-v2")) {
      differ("wrap", fmt::format("only {} has `{}`", a ? here_ : there_, name),
             "the same line, with the same key, at both ends");
    }
    if (!a || !b) return;
    compare_keys(name);
    if (std::string_view(name) != "tls-auth") return;
    const auto of = [](const ovpn::Profile& profile) {
      const auto own = profile.arg("tls-auth", profile.last("tls-auth")->body ? 0 : 1);
      const std::string text =
          own && (*own == "0" || *own == "1") ? *own : profile.arg("key-direction").value_or("");
      return text == "0"   ? ovpn::KeyDirection::kNormal
             : text == "1" ? ovpn::KeyDirection::kInverse
                           : ovpn::KeyDirection::kBidirectional;
    };
    if (!fit(of(a_), of(b_))) {
      differ("direction", "the direction of tls-auth's key", word(of(a_)), word(of(b_)),
             "0 at the server and 1 at the client, or none at both");
    }
  }

  void compare_ciphers() {
    const auto a = render::data_ciphers(a_), b = render::data_ciphers(b_);
    const bool common = std::any_of(a.begin(), a.end(), [&b](const std::string& name) {
      return std::find(b.begin(), b.end(), name) != b.end();
    });
    if (!common) {
      differ("cipher", "the ends have no data cipher in common",
             "`data-ciphers` with one that the other end has too");
    }
  }

  void compare_sizes() {
    for (const auto& [name, otherwise] :
         {std::pair{"tun-mtu", "1500"}, std::pair{"fragment", "off"}}) {
      const std::string a = a_.arg(name).value_or(otherwise), b = b_.arg(name).value_or(otherwise);
      // Of fragment only whether it is there need be the same.
      const bool same =
          std::string_view(name) == "fragment" ? (a == "off") == (b == "off") : a == b;
      const bool told = a_.has("pull") || a_.has("client") || b_.has("pull") || b_.has("client");
      if (!same && !(told && std::string_view(name) == "tun-mtu")) {
        differ("mtu", std::string("`") + name + "`", a, b, "the same at both ends");
      }
    }
  }

  void compare_framing() {
    // What stands in front of an uncompressed packet (OpenVPN protocol: compression framing).
    const auto framing = [](const ovpn::Profile& profile) {
      if (!profile.has("compress")) return profile.has("comp-lzo") ? "a byte" : "none";
      return profile.arg("compress").value_or("").ends_with("-v2") ? "of version 2" : "a byte";
    };
    const bool told = a_.has("pull") || a_.has("client") || b_.has("pull") || b_.has("client");
    const std::string a = framing(a_), b = framing(b_);
    if (a == b || told) return;
    differ("compression", "the compression framing (`comp-lzo`, `compress`)", a, b,
           "take the line out at both ends, or write it at both");
  }

  const std::string here_, there_;
  const ovpn::Profile& a_;
  const ovpn::Profile& b_;
  Findings findings_;
};

}  // namespace

std::vector<Finding> compare_ends(std::string_view here, const ovpn::Profile& a,
                                  std::string_view there, const ovpn::Profile& b) {
  return Pair(here, a, there, b).run();
}

}  // namespace doctor
