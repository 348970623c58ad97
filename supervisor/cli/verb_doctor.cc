// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text.h"
#include "ovpn/profile_file.h"
#include "ovpn/remote_list.h"
#include "supervisor/cli/doctor_report.h"
#include "supervisor/cli/site_view.h"
#include "supervisor/cli/verbs.h"
#include "supervisor/cli/work.h"
#include "supervisor/site/site.h"

namespace cli {
namespace {

constexpr int kUsualMtu = 1500;
// As the fast path calls the thread that carries packets.
constexpr std::string_view kDataThread = "data";

std::vector<int> cpus_of(const watch::SiteStatus& status) {
  const auto& threads = status.threads;
  const auto data = std::find_if(threads.begin(), threads.end(), [](const auto& thread) {
    return thread.name.starts_with(kDataThread);
  });
  if (data != threads.end()) return data->cpus;
  return threads.empty() ? std::vector<int>{} : threads.front().cpus;
}

// Where the far end is: as the engine says, else as the config does where it names an address.
std::optional<base::IpAddress> far_end(const SiteView& view) {
  std::string_view text;
  if (view.status.line) text = view.status.line->peer;
  if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
    text = text.substr(0, colon);
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    return base::IpAddress::parse(text);
  }
  for (const ovpn::Remote& remote : ovpn::remote_list(view.report->near.profile)) {
    if (const auto address = base::IpAddress::parse(remote.host)) return address;
  }
  return std::nullopt;
}

void measure_path(Context& context, const SiteView& view, doctor::TunnelFacts& facts) {
  if (!context.world().path_mtu) return;
  const auto to = far_end(view);
  if (!to) {
    facts.path_trouble = "where the far end is cannot be known before it was heard";
    return;
  }
  facts.far_end_is_ipv6 = !to->is_v4();
  facts.path = context.world().path_mtu(*to, kUsualMtu);
  if (!facts.path) {
    facts.path_trouble = to->to_string() +
                         " answers no echo requests: what size of packets gets "
                         "there is not known";
  }
}

doctor::TunnelFacts facts_of(Context& context, const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  doctor::TunnelFacts facts;
  facts.site = status.site;
  facts.running = status.running;
  facts.profile = view.report->near.profile;
  facts.warnings = view.report->warnings;
  if (status.engine) facts.interface = status.engine->interface;
  if (status.running) {
    facts.cpus = cpus_of(status);
    const bool native = status.engine && status.engine->fastpath;
    if (native && status.line && status.health != watch::Health::kDown) {
      facts.offload = status.line->offload;
    }
    if (context.world().udp_drops && status.engine_pid > 0) {
      facts.socket_drops = context.world().udp_drops(status.engine_pid);
    }
  }
  measure_path(context, view, facts);
  return facts;
}

// A site by its name, or a config where it lies.
base::Result<ovpn::Profile, ReportFailure> profile_of(Context& context, const std::string& word) {
  if (site::is_site_name(word)) {
    auto report = examine(context, word);
    if (!report) return report.error();
    return std::move(report->near.profile);
  }
  const std::string path = word.starts_with('/') ? word : context.world().folder + "/" + word;
  auto lexed = ovpn::read_profile(path, [&](const std::string& name) {
    return context.files().read(name.starts_with('/') ? name : context.world().folder + "/" + name);
  });
  if (!lexed.problems.empty()) return ReportFailure{kInvalid, lexed.problems};
  return ovpn::effective_profile(lexed.profile);
}

int compare(Context& context, const Call& call) {
  const auto ends = call.values("--pair");
  std::vector<ovpn::Profile> profiles;
  for (const std::string& end : ends) {
    auto profile = profile_of(context, end);
    if (!profile) {
      context.complain(profile.error().problems);
      return profile.error().status;
    }
    profiles.push_back(std::move(profile).value());
  }
  const auto findings = doctor::compare_ends(ends[0], profiles[0], ends[1], profiles[1]);
  call.has("--json") ? context.print(doctor_json(findings))
                     : context.show(doctor_text(context, findings));
  return findings.front().verdict == doctor::Verdict::kGood ? kOk : kDegraded;
}

}  // namespace

int run_doctor(Context& context, const Call& call) {
  if (call.has("--pair")) return compare(context, call);
  int status = kOk;
  std::vector<doctor::TunnelFacts> tunnels;
  const auto names = call.operands.empty() ? context.site_names() : call.operands;
  for (const std::string& name : names) {
    auto view = view_site(context, name);
    if (!view) {
      context.complain(view.error().problems);
      status = worse(status, view.error().status);
    } else if (!view->report) {
      context.complain(view->trouble.empty() ? name + ": its keys may only be read by root"
                                             : view->trouble);
      status = worse(status, view->trouble.empty() ? kNotPermitted : kInvalid);
    } else {
      tunnels.push_back(facts_of(context, *view));
    }
  }
  const auto network = context.world().network ? context.world().network() : host::NetworkFacts{};
  const auto findings = doctor::examine(context.machine(), network, tunnels);
  call.has("--json") ? context.print(doctor_json(findings))
                     : context.show(doctor_text(context, findings));
  const bool faulty = std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.verdict == doctor::Verdict::kFault;
  });
  return faulty ? worse(status, kDegraded) : status;
}

}  // namespace cli
