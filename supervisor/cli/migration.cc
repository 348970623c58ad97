// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/migration.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace cli {
namespace {

constexpr const char* kSchema = "tunctl.migration/1";

}  // namespace

std::string format_migration(const Migration& migration) {
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"site", migration.site},
                                       {"role", migration.role},
                                       {"peer-fingerprint", migration.peer_fingerprint},
                                       {"wait", migration.wait_seconds},
                                       {"silence", migration.silence_seconds},
                                       {"at", migration.at},
                                       {"trial-since", migration.trial_since},
                                       {"due", migration.due},
                                       {"heard", migration.heard},
                                       {"stands", migration.stands},
                                       {"outcome", migration.outcome},
                                       {"old-text", migration.old_text},
                                       {"made", migration.made},
                                       {"secrets", migration.secrets}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

base::Result<Migration> parse_migration(std::string_view file, std::string_view text) {
  const auto broken = [file](const std::string& why) {
    return base::Problem{{std::string(file), 0, 0},
                         "this is no note of a migration: " + why,
                         "move it away; the site runs as its file says"};
  };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return broken("not a JSON object");
  try {
    if (json.at("schema") != kSchema) return broken("another version wrote it");
    Migration migration;
    json.at("site").get_to(migration.site);
    json.at("role").get_to(migration.role);
    json.at("peer-fingerprint").get_to(migration.peer_fingerprint);
    json.at("wait").get_to(migration.wait_seconds);
    json.at("silence").get_to(migration.silence_seconds);
    json.at("at").get_to(migration.at);
    json.at("trial-since").get_to(migration.trial_since);
    json.at("due").get_to(migration.due);
    json.at("heard").get_to(migration.heard);
    json.at("stands").get_to(migration.stands);
    json.at("outcome").get_to(migration.outcome);
    json.at("old-text").get_to(migration.old_text);
    json.at("made").get_to(migration.made);
    json.at("secrets").get_to(migration.secrets);
    return migration;
  } catch (const nlohmann::json::exception& error) {
    return broken(error.what());
  }
}

base::Result<std::optional<Migration>> migration_of(Context& context, const std::string& site) {
  const std::string path = context.paths().migration(site);
  if (!context.files().status(path)) return std::optional<Migration>();
  const auto text = context.files().read(path);
  if (!text) return text.error();
  auto migration = parse_migration(path, *text);
  if (!migration) return migration.error();
  return std::optional<Migration>(std::move(migration).value());
}

}  // namespace cli
