// SPDX-License-Identifier: Apache-2.0
// What an engine leaves on the machine when it is killed, and how that is given back.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "fastpath/hostnet/child.h"
#include "fastpath/hostnet/dns.h"

namespace engine {

// Name of the file in a state folder; what is to be known about name servers stands beside it.
inline constexpr const char* kNetworkJournal = "network-journal";

hostnet::DnsPlaces dns_places(const std::string& network_journal);

// Routes, settings and name servers that this journal and the files beside it tell of, whose engine
// does not run any more. True: nothing of it is left; the rest has been logged and stays noted.
// Without `by_helper` what tunctl-helper(8) did is left to root.
bool undo_left_behind(const std::string& network_journal, const base::Log& log,
                      hostnet::WhileRunning meanwhile = {}, bool by_helper = true);

// `tunctl-fastpath --undo FOLDER...`: the same for state folders, for whoever knows that no engine
// will start there. In a unit's ExecStopPost= it looks whether one will (take_over_rule.h), and
// then leaves everything to it. A folder that is not there is done. The exit status.
//
// `--undo-kept FOLDER...`, kKept: only what an engine that died left for the next one, while none
// runs: for whoever stops a unit between the two. One that runs leaves nothing from then on.
enum class UndoWhat { kAll, kKept };
int undo_program(const std::vector<std::string>& state_folders, UndoWhat what);

}  // namespace engine
