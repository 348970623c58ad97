// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/launch_plan.h"

#include <nlohmann/json.hpp>

namespace launch {
namespace {

constexpr const char* kSchema = "tunctl.launch/1";

}  // namespace

std::string format_launch_plan(const LaunchPlan& plan) {
  const nlohmann::ordered_json json = {{"schema", kSchema},
                                       {"site", plan.site},
                                       {"engine", plan.fastpath ? "fastpath" : "openvpn"},
                                       {"reason", plan.reason},
                                       {"program", plan.program},
                                       {"argv", plan.argv},
                                       {"cpus", plan.cpus},
                                       {"cpus-word", plan.cpus_word},
                                       {"cpus-reasons", plan.cpus_reasons},
                                       {"ready-connected", plan.ready_connected},
                                       {"ready-timeout", plan.ready_timeout_seconds},
                                       {"watchdog", plan.watchdog_seconds},
                                       {"nice", plan.nice},
                                       {"stock-2.6", plan.stock_26},
                                       {"stock-2.7", plan.stock_27},
                                       {"dry-after", plan.dry_after_seconds},
                                       {"interface", plan.interface},
                                       {"runtime-folder", plan.runtime_folder},
                                       {"state-folder", plan.state_folder}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

base::Result<LaunchPlan> parse_launch_plan(std::string_view file, std::string_view text) {
  const auto broken = [file](const std::string& why) {
    return base::Problem{
        {std::string(file), 0, 0}, "this is no launch plan: " + why, "start the unit anew"};
  };
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return broken("not a JSON object");
  try {
    if (json.at("schema") != kSchema) return broken("another version wrote it");
    LaunchPlan plan;
    json.at("site").get_to(plan.site);
    plan.fastpath = json.at("engine") == "fastpath";
    json.at("reason").get_to(plan.reason);
    json.at("program").get_to(plan.program);
    json.at("argv").get_to(plan.argv);
    json.at("cpus").get_to(plan.cpus);
    json.at("ready-connected").get_to(plan.ready_connected);
    json.at("ready-timeout").get_to(plan.ready_timeout_seconds);
    json.at("watchdog").get_to(plan.watchdog_seconds);
    plan.nice = json.value("nice", 0);  // `status` may read what an older program wrote
    plan.cpus_word = json.value("cpus-word", "");
    plan.cpus_reasons = json.value("cpus-reasons", std::vector<std::string>{});
    json.at("stock-2.6").get_to(plan.stock_26);
    json.at("stock-2.7").get_to(plan.stock_27);
    json.at("dry-after").get_to(plan.dry_after_seconds);
    json.at("interface").get_to(plan.interface);
    json.at("runtime-folder").get_to(plan.runtime_folder);
    json.at("state-folder").get_to(plan.state_folder);
    return plan;
  } catch (const nlohmann::json::exception& error) {
    return broken(error.what());
  }
}

}  // namespace launch
