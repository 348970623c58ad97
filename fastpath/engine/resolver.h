// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ip.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/io/event_loop.h"

namespace engine {

struct Resolved {
  std::vector<base::Endpoint> addresses;  // in the resolver's order; empty: see problem
  std::string problem;
  // Numbers of IPv4, and this host has a way to IPv6 only.
  bool out_of_reach = false;
};

// An address written as numbers, with its port, without asking anybody; nothing for a name.
std::optional<Resolved> resolve_literal(const std::string& host, const std::string& port,
                                        config::FamilyChoice family);

// Asks the resolver and waits for it: for names that nothing can start without.
Resolved resolve_now(const std::string& host, const std::string& port, config::FamilyChoice family);

// Asks the system's resolver on a thread of its own, because a dead name server holds a call for
// half a minute and neither packets nor signals may wait for that. One question at a time. Used by
// the main thread.
class Resolver {
 public:
  explicit Resolver(io::WakeUp& wake_main);
  ~Resolver();  // an unanswered question is abandoned: its thread ends by itself

  void ask(const std::string& host, const std::string& port, config::FamilyChoice family);
  bool asking() const;
  std::optional<Resolved> take_answer();
  void abandon();

 private:
  struct Question;
  io::WakeUp& wake_main_;
  std::shared_ptr<Question> question_;
};

}  // namespace engine
