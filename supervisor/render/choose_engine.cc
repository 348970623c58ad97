// SPDX-License-Identifier: Apache-2.0
#include "ovpn/directive_table.h"
#include "ovpn/native_support.h"
#include "supervisor/render/render.h"
#include "supervisor/render/version_lines.h"

namespace render {

base::Result<EngineDecision, base::Problems> choose_engine(const site::Site& site,
                                                           const ovpn::Profile& profile) {
  base::Problems problems = ovpn::check_directives(profile).problems;
  const base::Problems errors = ovpn::config_errors(profile);
  problems.insert(problems.end(), errors.begin(), errors.end());
  if (!problems.empty()) return problems;
  if (site.run.engine == site::EngineChoice::kOpenvpn) {
    return EngineDecision{false, "engine = \"openvpn\""};
  }
  base::Problems gaps = ovpn::native_gaps(profile);
  if (gaps.empty()) return EngineDecision{true, {}};
  if (site.run.engine == site::EngineChoice::kAuto) {
    return EngineDecision{false, base::to_string(gaps.front())};
  }
  for (base::Problem& gap : gaps) {
    gap.message = "engine = \"fastpath\" cannot run this: " + gap.message;
    gap.remedy = "write engine = \"auto\" or \"openvpn\"";
  }
  return gaps;
}

base::Problems weak_points(const ovpn::Profile& profile) {
  const auto* secret = profile.last("secret");
  if (secret == nullptr || profile.has("cipher") || is_tls(profile)) return {};
  return {{secret->place,
           "no cipher line: the default is BF-CBC, whose small blocks give away long transfers",
           "better: `cipher AES-256-CBC` and `auth SHA256`, changed at both ends at once"}};
}

}  // namespace render
