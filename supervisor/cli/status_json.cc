// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "supervisor/cli/status_text.h"
#include "supervisor/site/site_keys.h"

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

Json unit_json(const host::UnitStatus& unit) {
  Json json{{"name", unit.unit},
            {"loaded", unit.loaded},
            {"active-state", unit.active_state},
            {"sub-state", unit.sub_state},
            {"result", unit.result},
            {"unit-file-state", unit.unit_file_state},
            {"restarts", unit.restarts}};
  if (unit.main_pid > 0) json["main-pid"] = unit.main_pid;
  if (unit.active_since > 0) json["active-since"] = iso_time(unit.active_since);
  return json;
}

Json link_json(const ovpn::StatusLine& line) {
  Json json{{"state", ovpn::to_string(line.state)}};
  if (!line.peer.empty()) json["peer"] = line.peer;
  if (line.since) json["since"] = iso_time(*line.since);
  if (line.rx_bytes) json["rx-bytes"] = *line.rx_bytes;
  if (line.tx_bytes) json["tx-bytes"] = *line.tx_bytes;
  if (line.drops) json["drops"] = *line.drops;
  if (line.auth_failed) json["auth-failed"] = *line.auth_failed;
  for (const auto& [reason, count] : line.drop_reasons) json["drop-reasons"][reason] = count;
  if (line.heard_seconds) json["heard-seconds-ago"] = *line.heard_seconds;
  if (!line.note.empty()) json["note"] = line.note;
  return json;
}

Json engine_json(const SiteView& view) {
  const auto& running = view.status.engine;
  const bool fastpath = running ? running->fastpath : view.report->engine.fastpath;
  const std::string& reason = running ? running->reason : view.report->engine.reason;
  Json json{{"name", fastpath ? "fastpath" : "openvpn"}};
  if (!reason.empty()) json["reason"] = reason;
  if (running && !running->interface.empty()) json["dev"] = running->interface;
  if (running && !running->cpus.empty()) json["cpus"] = running->cpus;
  if (running && !running->cpus_word.empty()) {
    json["placement"] = {{"asked", running->cpus_word}, {"reasons", running->cpus_reasons}};
  }
  return json;
}

Json site_json(const SiteView& view) {
  const watch::SiteStatus& status = view.status;
  Json json{{"name", status.site}};
  if (!view.description.empty()) json["description"] = view.description;
  json["health"] = watch::to_string(status.health);
  json["running"] = status.running;
  if (!status.cause.empty()) json["cause"] = status.cause;
  if (status.engine || view.report) json["engine"] = engine_json(view);
  if (status.line) json["link"] = link_json(*status.line);
  json["threads"] = Json::array();
  for (const host::ThreadFacts& thread : status.threads) {
    json["threads"].push_back({{"tid", thread.tid}, {"name", thread.name}, {"cpus", thread.cpus}});
  }
  json["unit"] = unit_json(status.unit);
  if (view.runner > 0) json["run-pid"] = view.runner;
  if (!status.last_failure.empty()) json["last-failure"] = status.last_failure;
  json["warnings"] = status.warnings;
  if (!view.trouble.empty()) json["problem"] = view.trouble;
  return json;
}

}  // namespace

std::string status_json(const std::vector<SiteView>& views) {
  Json json{{"schema", "tunctl.status/1"}, {"sites", Json::array()}};
  for (const SiteView& view : views) json["sites"].push_back(site_json(view));
  // A note may hold bytes that are no UTF-8: they must not end the program.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cli
