// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/unit_overlay.h"

#include <algorithm>
#include <array>
#include <utility>

namespace render {
namespace {

constexpr std::string_view kUser = "the unit runs as a user of its own";
constexpr std::string_view kJournal = "everything goes to the journal";
constexpr std::string_view kManagement = "in a unit the management socket is tunctl's";

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kDropped{{
    {"cd", "relative paths are resolved from there already"},
    {"chroot", "the unit's sandbox takes its place"},
    {"daemon", "systemd keeps the engine in the foreground"},
    {"errors-to-stderr", kJournal},
    {"group", kUser},
    {"log", kJournal},
    {"log-append", kJournal},
    {"machine-readable-output", kJournal},
    {"nice", "the unit has it as Nice="},
    {"syslog", kJournal},
    {"user", kUser},
    {"writepid", "systemd knows the process"},
}};

}  // namespace

std::optional<std::string_view> dropped_in_unit(std::string_view directive) {
  if (directive == "management" || directive.starts_with("management-")) return kManagement;
  const auto found = std::find_if(kDropped.begin(), kDropped.end(),
                                  [directive](const auto& row) { return row.first == directive; });
  return found == kDropped.end() ? std::nullopt : std::optional(found->second);
}

ovpn::Profile profile_in_unit(const ovpn::Profile& profile) {
  ovpn::Profile kept;
  for (const ovpn::Directive& line : profile.directives) {
    if (!dropped_in_unit(line.name)) kept.directives.push_back(line);
  }
  return kept;
}

}  // namespace render
