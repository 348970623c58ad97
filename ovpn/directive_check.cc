// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>

#include "base/problem_list.h"
#include "base/text.h"
#include "ovpn/directive_table.h"
#include "ovpn/lexer.h"
#include "ovpn/static_key.h"

namespace ovpn {
namespace {

// Stock takes these only in a file of client-config-dir or from a script.
constexpr std::array<std::string_view, 8> kClientFileOnly = {
    "disable",     "ifconfig-push",     "ifconfig-ipv6-push", "iroute",
    "iroute-ipv6", "push-continuation", "push-remove",        "push-reset"};

// What a <connection> block may hold (OpenVPN protocol: inline blocks).
constexpr std::array<std::string_view, 31> kConnectionOnly = {"remote",
                                                              "proto",
                                                              "port",
                                                              "lport",
                                                              "rport",
                                                              "local",
                                                              "bind",
                                                              "nobind",
                                                              "float",
                                                              "connect-retry",
                                                              "connect-retry-max",
                                                              "connect-timeout",
                                                              "server-poll-timeout",
                                                              "http-proxy",
                                                              "http-proxy-option",
                                                              "http-proxy-timeout",
                                                              "http-proxy-retry",
                                                              "socks-proxy",
                                                              "socks-proxy-retry",
                                                              "explicit-exit-notify",
                                                              "fragment",
                                                              "mssfix",
                                                              "link-mtu",
                                                              "tun-mtu",
                                                              "tun-mtu-extra",
                                                              "tun-mtu-max",
                                                              "max-packet-size",
                                                              "mtu-disc",
                                                              "key-direction",
                                                              "tls-auth",
                                                              "tls-crypt"};

template <std::size_t kCount>
bool among(const std::array<std::string_view, kCount>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool looks_like_placeholder(const Directive& directive) {
  const auto filled_by_hand = [](const std::string& word) {
    return word.starts_with('<') || word.ends_with('>') || word.starts_with("{{") ||
           word.starts_with("${") || word.starts_with("%%");
  };
  return filled_by_hand(directive.name) ||
         std::any_of(directive.args.begin(), directive.args.end(), filled_by_hand);
}

constexpr std::string_view kUnfilled = "this looks like a template; fill in its placeholders";

std::string argument_range(const DirectiveRow& row) {
  if (row.args_max == 0) return "no argument";
  const std::string max = std::to_string(row.args_max);
  const std::string unit = row.args_max == 1 ? " argument" : " arguments";
  if (row.args_min == row.args_max) return max + unit;
  return std::to_string(row.args_min) + " to " + max + unit;
}

bool is_script(std::string_view name) {
  constexpr std::array<std::string_view, 9> kScripts = {
      "up",        "down",           "route-up",          "route-pre-down",
      "ipchange",  "client-connect", "client-disconnect", "learn-address",
      "tls-verify"};
  return among(kScripts, name);
}

class Checker {
 public:
  TableCheck run(const Profile& profile) {
    for (const Directive& directive : profile.directives) {
      if (check_.problems.size() >= base::kProblemsMax) break;
      take(directive);
    }
    return std::move(check_);
  }

 private:
  void take(const Directive& directive);
  void take_known(const Directive& directive, const DirectiveRow& row);
  void take_unknown(const Directive& directive);
  void take_connection(const Directive& directive);
  std::optional<std::string_view> nearest_name(std::string_view wanted);
  void complain(const Directive& directive, std::string message, std::string_view remedy) {
    if (lenient_) return warn(directive, std::move(message), remedy);
    check_.problems.push_back({directive.place, std::move(message), std::string(remedy)});
  }
  void warn(const Directive& directive, std::string message, std::string_view remedy) {
    if (check_.warnings.size() >= base::kProblemsMax) return;
    check_.warnings.push_back({directive.place, std::move(message), std::string(remedy)});
  }

  TableCheck check_;
  std::set<std::string, std::less<>> ignored_;
  std::size_t hints_ = 0;
  bool forward_compatible_ = false;
  bool lenient_ = false;  // for the directive at hand
  bool in_key_ = false;   // the lines since the last known directive are a key's
};

void Checker::take(const Directive& written) {
  // A copy of a key block would outlive its wiping, and no block needs unwrapping.
  const Directive unwrapped = written.body ? Directive() : unwrap_setenv_opt(written);
  const Directive& directive = written.body ? written : unwrapped;
  // Stock words an unknown name and a wrong count alike, and its three ways of leniency cover both.
  lenient_ =
      forward_compatible_ || directive.name != written.name || ignored_.contains(directive.name);
  const DirectiveRow* row = find_row(directive.name);
  if (row == nullptr) {
    take_unknown(directive);
    return;
  }
  in_key_ = false;
  take_known(directive, *row);
  if (directive.name == "setenv" && !directive.args.empty() &&
      directive.args[0] == "FORWARD_COMPATIBLE" && directive.args.size() == 2 &&
      directive.args[1] == "1") {
    forward_compatible_ = true;
  }
  if (directive.name != "ignore-unknown-option") return;
  for (const std::string& name : directive.args) {
    ignored_.insert(name.starts_with("--") ? name.substr(2) : name);
  }
}

void Checker::take_known(const Directive& directive, const DirectiveRow& row) {
  const std::string quoted = "'" + directive.name + "'";
  if (row.native == NativeUse::kRemoved) {
    complain(directive, quoted + " is no directive of today's OpenVPN", row.note);
    return;
  }
  if (directive.body) {
    if (!row.inline_allowed)
      complain(directive, quoted + " cannot be a block", "write it on one line");
    if (directive.name == "connection") take_connection(directive);
    return;
  }
  const int count = static_cast<int>(directive.args.size());
  if (directive.name == "connection") {
    complain(directive, "'connection' is a block", "write <connection> and </connection>");
  } else if (count < row.args_min || count > row.args_max) {
    const bool script = count > row.args_max && is_script(directive.name);
    complain(directive, quoted + " takes " + argument_range(row) + ", not " + std::to_string(count),
             looks_like_placeholder(directive) ? kUnfilled
             : script ? "put the script and its arguments into one pair of quotes"
                      : "");
  } else if (among(kClientFileOnly, directive.name)) {
    complain(directive, quoted + " belongs into a file of client-config-dir", "move it there");
  } else if (row.stock_until == 0) {
    warn(directive, quoted + " has no effect: " + std::string(row.note), "remove the line");
  } else if (row.stock_until < 6 && row.native != NativeUse::kTls) {
    warn(directive, quoted + " has no effect", row.note);
  }
}

std::optional<std::string_view> Checker::nearest_name(std::string_view wanted) {
  // Each search goes through the whole table; nobody reads more hints than this.
  if (hints_ >= base::kProblemsShown) return std::nullopt;
  ++hints_;
  std::vector<std::string_view> names;
  for (const DirectiveRow& row : directive_table()) {
    if (row.native != NativeUse::kRemoved) names.push_back(row.name);
  }
  return base::nearest(wanted, names);
}

void Checker::take_unknown(const Directive& directive) {
  // One complaint for all of its lines, and none of them in it.
  if (in_key_) return;
  in_key_ = looks_like_key(directive.name);
  if (in_key_) {
    complain(directive, "this is a key, not a directive",
             "write a key between <secret> and </secret>, or 'secret FILE'");
    return;
  }
  std::string wanted = directive.name;
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  std::string remedy;
  if (looks_like_placeholder(directive)) {
    remedy = kUnfilled;
  } else if (const auto near = nearest_name(wanted)) {
    remedy = "did you mean '" + std::string(*near) + "'?";
  } else {
    remedy = "no OpenVPN from 2.4 to 2.7 has it; remove the line, or see openvpn(8)";
  }
  complain(directive, "unknown directive '" + directive.name + "'", remedy);
}

void Checker::take_connection(const Directive& block) {
  const LexResult inner = lex_block(block);
  check_.problems.insert(check_.problems.end(), inner.problems.begin(), inner.problems.end());
  for (const Directive& directive : inner.profile.directives) {
    const bool known = find_row(directive.name) != nullptr;
    if (known && directive.name != "tls-crypt-v2" && !among(kConnectionOnly, directive.name)) {
      lenient_ = false;
      complain(directive, "'" + directive.name + "' cannot stand inside <connection>",
               "write it outside of the block");
    } else {
      take(directive);
    }
  }
}

}  // namespace

TableCheck check_directives(const Profile& profile) { return Checker().run(profile); }

}  // namespace ovpn
