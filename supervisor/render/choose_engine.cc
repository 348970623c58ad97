// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ovpn/directive_table.h"
#include "ovpn/native_support.h"
#include "supervisor/render/render.h"

namespace render {
namespace {

// What only the native engine can do in a unit. Stock leaves name servers to scripts, which a
// unit's engine has no right to; and it asks a terminal, or a password agent whose folder only root
// may write to.
base::Result<EngineDecision, base::Problems> stock(const site::Site& site,
                                                   const ovpn::Profile& profile,
                                                   std::string reason) {
  const std::string runs = ", and this site runs on stock OpenVPN (" + reason + ")";
  base::Problems problems;
  if (!site.dns.use.empty() && site.dns.use[0] != "off") {
    problems.push_back({site.place_of("dns.use"), "'dns.use' needs the native engine" + runs,
                        "take dns.use out, or what keeps the native engine away"});
  }
  const ovpn::Directive* challenge = profile.last("static-challenge");
  if (challenge != nullptr && profile.has("auth-user-pass")) {
    problems.push_back({challenge->place, "static-challenge needs the native engine" + runs,
                        "take out what keeps the native engine away"});
  }
  if (!problems.empty()) return problems;
  return EngineDecision{false, std::move(reason)};
}

}  // namespace

base::Result<EngineDecision, base::Problems> choose_engine(const site::Site& site,
                                                           const ovpn::Profile& profile) {
  if (const auto problem = unfinished(site)) return base::Problems{*problem};
  base::Problems problems = ovpn::check_directives(profile).problems;
  const base::Problems errors = ovpn::config_errors(profile);
  problems.insert(problems.end(), errors.begin(), errors.end());
  if (!problems.empty()) return problems;
  if (site.run.engine == site::EngineChoice::kOpenvpn) {
    return stock(site, profile, "engine = \"openvpn\"");
  }
  base::Problems gaps = ovpn::native_gaps(profile);
  if (gaps.empty()) return EngineDecision{true, {}};
  if (site.run.engine == site::EngineChoice::kAuto) {
    return stock(site, profile, base::to_string(gaps.front()));
  }
  for (base::Problem& gap : gaps) {
    gap.message = "engine = \"fastpath\" cannot run this: " + gap.message;
    gap.remedy = "write engine = \"auto\" or \"openvpn\"";
  }
  return gaps;
}

std::optional<base::Problem> unfinished(const site::Site& site) {
  if (!site.described || site.described->mode != site::Mode::kFingerprint) return std::nullopt;
  if (!site.described->peer_fingerprint.empty()) return std::nullopt;
  if (site::is_client(*site.described)) {
    return base::Problem{
        site.place_of("peer-fingerprint"),
        "the fingerprint of the server's certificate is not known yet",
        "whoever runs the server knows it; then: tunctl key trust " + site.name + " FINGERPRINT"};
  }
  return base::Problem{
      site.place_of("peer-fingerprint"), "the far end's fingerprint is not known yet",
      "make its key there (`tunctl render " + site.name +
          " --far-end` says how), then here: tunctl key trust " + site.name + " FINGERPRINT"};
}

}  // namespace render
