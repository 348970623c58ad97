// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/paths.h"

namespace site {
namespace {

constexpr std::string_view kUnitPrefix = "tunctl@";
constexpr std::string_view kUnitSuffix = ".service";

std::string joined(std::string folder, std::string_view name, std::string_view extension) {
  folder += '/';
  folder += name;
  return folder += extension;
}

}  // namespace

Paths::Paths(std::string_view root) : root_(root) {
  while (!root_.empty() && root_.back() == '/') root_.pop_back();
}

std::string Paths::as_written(std::string_view path) const {
  if (!root_.empty() && path.starts_with(root_ + "/")) path.remove_prefix(root_.size());
  return std::string(path);
}

std::string Paths::site_file(std::string_view name) const {
  return joined(sites_folder(), name, ".toml");
}
std::string Paths::keys_folder(std::string_view name) const {
  return joined(all_keys_folder(), name, "");
}
std::string Paths::imported_config(std::string_view name) const {
  return joined(ovpn_folder(), name, ".conf");
}
std::string Paths::runtime_folder(std::string_view name) const {
  return joined(inside("/run/tunctl"), name, "");
}
std::string Paths::foreground_folder(std::string_view name) const {
  return joined(inside("/run/tunctl/.run"), name, "");
}
std::string Paths::state_folder(std::string_view name) const {
  return joined(inside("/var/lib/tunctl"), name, "");
}
std::string Paths::volatile_state_folder(std::string_view name) const {
  return joined(inside("/run/tunctl/.state"), name, "");
}
std::string Paths::adoption(std::string_view name) const {
  return joined(adopted_folder(), name, ".json");
}
std::string Paths::migration(std::string_view name) const {
  return joined(migrating_folder(), name, ".json");
}
std::string Paths::trial_site(std::string_view name) const {
  return joined(trial_folder(), name, ".toml");
}
std::string Paths::migrated_config(std::string_view name) const {
  return joined(ovpn_folder(), name, ".fingerprint.conf");
}
std::string Paths::drop_in_folder(std::string_view name) const {
  return joined(inside("/etc/systemd/system"), unit_of(name), ".d");
}
std::string Paths::drop_in(std::string_view name) const {
  return drop_in_folder(name) + "/10-tunctl.conf";
}

std::string unit_of(std::string_view name) {
  return std::string(kUnitPrefix) + std::string(name) + std::string(kUnitSuffix);
}

std::string name_of_unit(std::string_view unit) {
  if (!unit.starts_with(kUnitPrefix) || !unit.ends_with(kUnitSuffix)) return {};
  unit.remove_prefix(kUnitPrefix.size());
  unit.remove_suffix(kUnitSuffix.size());
  return std::string(unit);
}

std::string folder_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string file_name_of(std::string_view path) {
  const auto slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string stem_of(std::string_view path) {
  std::string name = file_name_of(path);
  const auto dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? name : name.substr(0, dot);
}

}  // namespace site
