// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/dns_plan.h"
#include "fastpath/engine/keeper.h"
#include "fastpath/engine/script_environment.h"
#include "fastpath/hostnet/child.h"
#include "fastpath/hostnet/dns.h"
#include "fastpath/hostnet/host_network.h"
#include "fastpath/io/tun_port.h"

namespace engine {

// The tunnel's end on this machine: device, addresses, routes, and the scripts that go with them,
// brought up and down in OpenVPN's order. Used by the main thread; the port by the worker.
class TunnelDevice {
 public:
  // `network_journal`: see hostnet::JournalFile; what is to be known about name servers stands
  // beside it. `while_script_runs`: scripts are waited for, without limit.
  TunnelDevice(const config::TunnelConfig& config, ScriptFacts facts, const base::Log& log,
               std::string network_journal = {}, DnsPolicy dns = {},
               hostnet::WhileRunning while_script_runs = {});
  ~TunnelDevice();  // down, if up
  TunnelDevice(const TunnelDevice&) = delete;
  TunnelDevice& operator=(const TunnelDevice&) = delete;

  // Who keeps the device beyond this process, while it is open; nobody, if not called. Outlives
  // this object.
  void keep_by(Keeper* keeper) { keeper_ = keeper; }
  // Instead of open() and add_routes(): goes on with a device that another run left as `kept`
  // tells. False, and nothing was done: it is not what it was. Scripts are not run: they ran.
  [[nodiscard]] bool take_over(base::UniqueFd tun, const KeptDevice& kept);
  std::optional<KeptDevice> kept() const;  // for take_over(); nothing: not open, or a null device
  // Instead of close(): to whoever takes it over.
  void leave();

  // What a server pushed takes the place of the file's device, and `remote` is the peer's address
  // that routes must not swallow. Before open() that is all; on an open device addresses change
  // without a gap, and routes if they stand. Throws base::FatalError as open() does.
  void change(const config::DeviceConfig& device, const std::optional<base::IpAddress>& remote);

  // Before anything else, even looking up a name: routes and name servers that a killed engine with
  // this journal left, which may lead to nowhere.
  void undo_left_behind();

  // Device, addresses, `up`. Throws base::FatalError with what is in the way; an `up` that fails
  // ends the program, as in stock OpenVPN.
  void open();
  void add_routes();  // and `route-up`
  // route-pre-down, routes, `down`, device. The signal's name is for the scripts.
  void close(const std::string& signal);

  // `down` and `up` again for a device that stays, if up-restart asks for it.
  void run_restart_scripts(const std::string& signal);

  void heard_from(const base::Endpoint& peer);  // for the scripts from now on, and `ipchange`
  // TLS mode, for the scripts and routes.
  void set_common_name(const std::string& name) { facts_.common_name = name; }
  void set_pushed(const std::vector<std::string>& options, hostnet::Environment environment) {
    facts_.pushed = options;
    facts_.pushed_environment = std::move(environment);
  }
  void set_trusted(const base::Endpoint& peer) { facts_.trusted = peer; }
  void set_restart(bool restart) { facts_.restart = restart; }
  void set_counters(const peer::PeerCounters& counters) { facts_.counters = counters; }
  bool is_open() const { return port_ != nullptr; }
  bool routes_up() const { return routes_up_; }
  // See HostNetwork::held_by_others().
  std::string missing_routes() const { return network_ ? network_->held_by_others() : ""; }
  io::PacketPort& port() { return *port_; }
  std::string offloads() const { return port_ ? port_->offloads() : ""; }  // see io::PacketPort
  const std::string& name() const { return facts_.device; }

 private:
  void open_tun();
  void let_go_of_port();
  std::vector<hostnet::RoutePlan> planned_routes();
  void set_name_servers();
  // Nothing if it is not set or went well.
  std::optional<base::Problem> run(const std::string& command, const std::string& type,
                                   const std::vector<std::string>& arguments);
  void warn_unless_run(const std::string& command, const std::string& type,
                       const std::vector<std::string>& arguments);

  config::TunnelConfig config_;  // without the keys
  const base::Log& log_;
  const std::string network_journal_;
  const DnsPolicy dns_policy_;
  const hostnet::WhileRunning while_script_runs_;
  Keeper* keeper_ = nullptr;
  std::optional<base::IpAddress> remote_;
  ScriptFacts facts_;
  bool existed_ = false;
  bool up_ran_ = false;  // or there is none: `down` is owed
  bool routes_up_ = false;
  std::unique_ptr<io::PacketPort> port_;
  std::optional<hostnet::HostNetwork> network_;  // undone before the port goes
  std::optional<hostnet::DnsSetup> dns_;         // likewise, and first
};

}  // namespace engine
