// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "supervisor/cli/topology.h"
#include "supervisor/placement/nic_cpus.h"

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

Json cpu_json(const base::Cpu& cpu) {
  Json json{{"number", cpu.number}};
  if (cpu.capacity) json["capacity"] = *cpu.capacity;
  if (cpu.max_khz) json["max-khz"] = *cpu.max_khz;
  if (cpu.now_khz) json["now-khz"] = *cpu.now_khz;
  if (!cpu.governor.empty()) json["governor"] = cpu.governor;
  json["siblings"] = cpu.siblings;
  json["cache"] = cpu.cache;
  if (cpu.node >= 0) json["node"] = cpu.node;
  return json;
}

Json classes_json(const placement::CoreClasses& kinds) {
  Json json = Json::array();
  for (const placement::CoreClass& kind : kinds.classes) {
    Json one{{"cpus", kind.cpus}};
    if (!kind.name.empty()) one["name"] = kind.name;
    if (kinds.classes.size() > 1) one["speed"] = kind.speed / kinds.classes.front().speed;
    json.push_back(std::move(one));
  }
  return json;
}

Json nic_json(const base::Nic& nic) {
  Json json{{"name", nic.name}, {"up", nic.up}};
  if (nic.node >= 0) json["node"] = nic.node;
  json["interrupts"] = Json::array();
  for (const base::Interrupt& interrupt : nic.interrupts) {
    json["interrupts"].push_back({{"number", interrupt.number},
                                  {"words", interrupt.words},
                                  {"cpus", placement::delivered_to(interrupt)}});
  }
  json["queues"] = Json::array();
  for (const base::NicQueue& queue : nic.queues) {
    json["queues"].push_back({{"name", queue.name}, {"cpus", queue.cpus}});
  }
  return json;
}

Json speed_json(const pki::CipherSpeed& speed) {
  Json json{{"cipher", speed.task.cipher}, {"cpu", speed.cpu}};
  if (!speed.task.auth.empty()) json["auth"] = speed.task.auth;
  if (!speed.bytes_per_second) return json;
  for (std::size_t at = 0; at < pki::kSpeedSizes.size(); ++at) {
    json["bytes-per-second"][std::to_string(pki::kSpeedSizes[at])] =
        static_cast<std::uint64_t>((*speed.bytes_per_second)[at]);
  }
  return json;
}

}  // namespace

std::string topology_json(const Topology& topology) {
  const base::Machine& machine = topology.machine;
  Json json{{"schema", "tunctl.topology/1"}};
  if (!machine.model.empty()) json["model"] = machine.model;
  json["cpus"] = Json::array();
  for (const base::Cpu& cpu : machine.cpus) json["cpus"].push_back(cpu_json(cpu));
  json["classes"] = classes_json(topology.kinds);
  if (!topology.kinds.source.empty()) json["classes-by"] = topology.kinds.source;
  json["offline"] = machine.offline;
  json["isolated"] = machine.isolated;
  if (!machine.allowed.empty()) json["cpuset"] = machine.allowed;
  json["instructions"] = machine.features;
  json["throttled"] = machine.throttled;
  json["nics"] = Json::array();
  for (const base::Nic& nic : machine.nics) json["nics"].push_back(nic_json(nic));
  for (const auto& [cpu, rate] : machine.net_rx_per_second) {
    json["net-rx-softirqs-per-second"][std::to_string(cpu)] = rate;
  }
  json["tunnels"] = Json::array();
  for (const auto& tunnel : topology.tunnels) {
    json["tunnels"].push_back({{"site", tunnel.site}, {"cpus", tunnel.cpus}});
  }
  json["ciphers"] = Json::array();
  for (const pki::CipherSpeed& speed : topology.speeds)
    json["ciphers"].push_back(speed_json(speed));
  json["auto"] = {{"cpus", topology.choice.cpus}, {"reasons", topology.choice.reasons}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace cli
