// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/left_behind.h"

#include <unistd.h>

#include <utility>

#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/log_sink.h"
#include "fastpath/hostnet/helper_request.h"
#include "fastpath/hostnet/host_network.h"

namespace engine {

hostnet::DnsPlaces dns_places(const std::string& network_journal) {
  hostnet::DnsPlaces places;
  if (network_journal.empty()) return places;
  places.backup = network_journal + ".resolv.conf";
  places.note = network_journal + ".name-servers";
  if (::geteuid() != 0) places.helper = hostnet::kHelperSocket;
  return places;
}

bool undo_left_behind(const std::string& network_journal, const base::Log& log,
                      hostnet::WhileRunning meanwhile) {
  if (network_journal.empty()) return true;
  const bool network = hostnet::HostNetwork(log, network_journal).undo_left_behind();
  hostnet::DnsSetup dns(log, dns_places(network_journal), std::move(meanwhile));
  return dns.undo_left_behind() && network;
}

int undo_program(const std::vector<std::string>& state_folders) {
  const base::Log log = early_log();
  bool all = true;
  for (const std::string& folder : state_folders) {
    all = undo_left_behind(folder + "/" + kNetworkJournal, log) && all;
  }
  return all ? kExitStopped : kExitFailed;
}

}  // namespace engine
