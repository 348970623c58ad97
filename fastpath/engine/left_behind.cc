// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/left_behind.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "fastpath/engine/comes_back.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/log_sink.h"
#include "fastpath/engine/take_over_rule.h"
#include "fastpath/hostnet/helper_request.h"
#include "fastpath/hostnet/host_network.h"
#include "ovpn/take_over.h"

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
                      hostnet::WhileRunning meanwhile, bool by_helper) {
  if (network_journal.empty()) return true;
  const bool network = hostnet::HostNetwork(log, network_journal).undo_left_behind();
  hostnet::DnsPlaces places = dns_places(network_journal);
  if (!by_helper) places.helper.clear();
  hostnet::DnsSetup dns(log, std::move(places), std::move(meanwhile));
  return dns.undo_left_behind() && network;
}

namespace {

std::string word(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// How the engine ended; the mark is the engine's own word, that the next one can take over.
bool comes_back_by_systemd() {
  return comes_back(word("SERVICE_RESULT"), word("EXIT_CODE"), word("EXIT_STATUS"));
}

}  // namespace

int undo_program(const std::vector<std::string>& state_folders, UndoWhat what) {
  const base::Log log = early_log();
  bool all = true;
  for (const std::string& folder : state_folders) {
    const std::string mark = folder + "/" + ovpn::kComesBack;
    const MarkState state = mark_state(mark);
    if (what == UndoWhat::kAll && state != MarkState::kNone && comes_back_by_systemd()) continue;
    ::unlink(mark.c_str());
    // One that runs is about to be stopped, or is just being killed: without the mark nothing waits
    // for a next one, neither itself nor the ExecStopPost= that follows.
    if (what == UndoWhat::kKept && state != MarkState::kLeft) continue;
    // The user of a unit between two runs owns nothing by which the helper could know it.
    const bool by_helper = what != UndoWhat::kKept;
    all = undo_left_behind(folder + "/" + kNetworkJournal, log, {}, by_helper) && all;
  }
  return all ? kExitStopped : kExitFailed;
}

}  // namespace engine
