// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "supervisor/cli/context.h"
#include "supervisor/host/service_manager.h"

namespace cli {

// What a unit is about on its way up, as a clause; empty: nothing that a person has to hear of.
std::string progress_words(const host::UnitStatus& unit);

// Tells them as they change, each once. Handed on by reference (by()): a copy would tell them
// again.
class Progress {
 public:
  // `old_pid`: of the engine that a restart ends first. What is left of its words is not told. 0:
  // none.
  Progress(Context& context, std::string name, int old_pid = 0)
      : context_(context), name_(std::move(name)), old_pid_(old_pid) {}

  void tell(const host::UnitStatus& unit);
  host::ServiceManager::Progress by() {
    return [this](const host::UnitStatus& unit) { tell(unit); };
  }

 private:
  Context& context_;
  const std::string name_;
  int old_pid_;
  std::string told_;
};

}  // namespace cli
