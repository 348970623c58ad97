// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/push.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/sha256.h"
#include "base/text.h"
#include "fastpath/config/push_rows.h"
#include "fastpath/config/reading.h"
#include "ovpn/directive_table.h"
#include "ovpn/line_words.h"

namespace config {
namespace {

class Applier {
 public:
  Applier(const TunnelConfig& file, const PushContext& context) : file_(file), context_(context) {
    // Without the keys: this is a scratch for the readers of config lines.
    scratch_.device = file.device;
    scratch_.keepalive = file.keepalive;
    scratch_.mssfix = file.mssfix;
    scratch_.crypto.framing = file.crypto.framing;
  }

  base::Result<Pushed> run(std::span<const std::string> options);

 private:
  void take(const std::string& option);
  void take_row(const PushRow& row, const ovpn::Directive& directive);
  void read_as_config(const ovpn::Directive& directive);
  bool over_limit(const ovpn::Directive& directive) const;
  void finish_addresses();
  void finish_mtu();
  void note(std::string text) {
    if (++notes_told_ <= kPushNotesMax) pushed_.notes.push_back(std::move(text));
  }

  const TunnelConfig& file_;
  const PushContext& context_;
  TunnelConfig scratch_;
  base::Problems problems_;
  Reading reading_{.config = scratch_, .problems = problems_};
  Pushed pushed_;
  std::optional<base::Problem> fatal_;
  std::size_t notes_told_ = 0;
};

bool printable(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; });
}

// An option in a message: a server chooses its length and its bytes.
std::string shown(const std::string& text) {
  constexpr std::size_t kShownMax = 60;
  return text.size() <= kShownMax ? text : text.substr(0, kShownMax) + "...";
}

void Applier::take(const std::string& option) {
  if (option.size() > kPushOptionBytesMax || !printable(option)) {
    return note("an option that is too long or not text is left out");
  }
  const ovpn::LineWords words = ovpn::split_config_line(option);
  if (words.error) return note("'" + shown(option) + "': " + words.error->message + "; left out");
  if (words.words.empty()) return;
  ovpn::Directive directive{words.words[0], {words.words.begin() + 1, words.words.end()}, {}, {}};
  const PushRow* row = find_push_row(directive.name);
  if (row == nullptr) return note("'" + shown(directive.name) + "' is unknown here; left out");
  const ovpn::DirectiveRow* known = ovpn::find_row(directive.name);
  const int count = static_cast<int>(directive.args.size());
  if (known != nullptr && (count < known->args_min || count > known->args_max)) {
    return note("'" + shown(option) + "': wrong number of arguments; left out");
  }
  take_row(*row, directive);
}

void Applier::take_row(const PushRow& row, const ovpn::Directive& directive) {
  const bool unwanted = row.use == PushUse::kRoute || row.use == PushUse::kDns;
  if (file_.tls && file_.tls->pull.route_nopull && unwanted) return;
  switch (row.use) {
    case PushUse::kIgnored:
      return;
    case PushUse::kNotDone:
      return note(directive.name + ": not done here; left out");
    case PushUse::kRefused:
      fatal_ = base::Problem{{},
                             "the server wants " + directive.name + ", which is not native",
                             "stock openvpn runs it"};
      return;
    case PushUse::kRoute:
    case PushUse::kDns:
    case PushUse::kHost:
      return read_as_config(directive);
    case PushUse::kSession:
      SessionPush session{file_, context_, pushed_, scratch_, {}, {}};
      row.read(session, directive);
      if (session.fatal) fatal_ = std::move(session.fatal);
      if (session.note) note(directive.name + ": " + *session.note + "; left out");
      return;
  }
}

bool Applier::over_limit(const ovpn::Directive& directive) const {
  const auto& device = scratch_.device;
  return (directive.name == "route" && device.routes.size() >= kPushRoutesMax) ||
         (directive.name == "route-ipv6" && device.routes_ipv6.size() >= kPushRoutesMax) ||
         (directive.name == "setenv-safe" &&
          scratch_.scripts.environment.size() >= kPushVariablesMax);
}

// The same words mean the same as in a file; only what is wrong is not the end here.
void Applier::read_as_config(const ovpn::Directive& directive) {
  if (over_limit(directive)) return note(directive.name + ": too many of them; left out");
  read_directive(reading_, directive);
  for (const base::Problem& problem : problems_) note(problem.message + "; left out");
  for (const base::Problem& bad : reading_.bad_routes) note(bad.message + "; left out");
  for (const base::Problem& warning : scratch_.warnings) note(warning.message);
  problems_.clear();
  reading_.bad_routes.clear();
  scratch_.warnings.clear();
}

void Applier::finish_addresses() {
  auto& device = scratch_.device;
  const auto second = base::IpAddress::parse(device.ifconfig_remote_or_mask);
  if (second && !device.topology_subnet && base::netmask_length(*second).value_or(0) >= 8) {
    // A server that forgot to push its topology; stock would set a peer that cannot be.
    note("ifconfig ends in a netmask without `topology subnet`; taken as meant");
    device.topology_subnet = true;
  }
  check_ifconfig(reading_);
  if (problems_.empty()) return;
  fatal_ = base::Problem{{}, "the server's addresses cannot be: " + problems_[0].message, {}};
}

void Applier::finish_mtu() {
  auto& mtu = scratch_.device.mtu;
  const int highest = std::max(context_.tun_mtu_max, file_.device.mtu);
  if (mtu > highest) {
    note("tun-mtu " + std::to_string(mtu) + " is more than was offered; " +
         std::to_string(highest) + " is used");
    mtu = highest;
  }
  if (mtu != file_.device.mtu && !scratch_.mssfix.given) {
    scratch_.mssfix = mssfix_for(MssfixConfig{}, mtu, file_.fragment.bytes);
  }
}

base::Result<Pushed> Applier::run(std::span<const std::string> options) {
  if (options.size() > kPushOptionsMax) {
    return base::Problem{{}, "the server pushed more options than anybody needs", {}};
  }
  for (const std::string& option : options) {
    take(option);
    if (fatal_) return *fatal_;
  }
  finish_addresses();
  finish_mtu();
  if (fatal_) return *fatal_;
  if (notes_told_ > kPushNotesMax) {
    pushed_.notes.push_back(std::to_string(notes_told_ - kPushNotesMax) + " more are left out");
  }
  pushed_.device = std::move(scratch_.device);
  pushed_.keepalive = scratch_.keepalive;
  pushed_.mssfix = scratch_.mssfix;
  pushed_.framing = scratch_.crypto.framing;
  pushed_.sndbuf_bytes = scratch_.link.sndbuf_bytes;
  pushed_.rcvbuf_bytes = scratch_.link.rcvbuf_bytes;
  pushed_.environment = std::move(scratch_.scripts.environment);
  pushed_.digest = push_digest(options);
  return std::move(pushed_);
}

}  // namespace

base::Result<Pushed> apply_push(const TunnelConfig& file, std::span<const std::string> options,
                                const PushContext& context) {
  return Applier(file, context).run(options);
}

PushDigest push_digest(std::span<const std::string> options) {
  std::string text;
  for (const std::string& option : options) {
    const auto words = base::split_words(option);
    if (words.empty()) continue;
    const PushRow* row = find_push_row(words[0]);
    if (row != nullptr && !row->in_digest) continue;
    text += option;
    text += '\n';
  }
  return base::sha256(base::as_bytes(text));
}

}  // namespace config
