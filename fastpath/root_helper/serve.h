// SPDX-License-Identifier: Apache-2.0
// One call: a request read, judged, done and answered.
#pragma once

#include <string>

#include "base/log.h"
#include "fastpath/hostnet/dns.h"
#include "fastpath/hostnet/helper_request.h"

namespace root_helper {

// Where things are; another place in tests.
struct Places {
  std::string run = "/run/tunctl";
  std::string state = "/var/lib/tunctl/.helper";
  std::string questions = "/run/systemd/ask-password";
  std::string socket = hostnet::kHelperSocket;
  hostnet::DnsPlaces dns;
};

// `connection`: SOCK_SEQPACKET, of whoever called. Waits for the request some seconds at most, and
// for a person as long as the caller does, or until SIGTERM. What was refused is logged, one line.
void serve(int connection, const Places& places, const base::Log& log);

// Gives back all name servers that stand noted.
void undo_all(const Places& places, const base::Log& log);
// The same of the interfaces whose mark names that site: of an engine that is gone, whose unit's
// user owns nothing any more by which it could be known.
void undo_site(const std::string& site, const Places& places, const base::Log& log);

}  // namespace root_helper
