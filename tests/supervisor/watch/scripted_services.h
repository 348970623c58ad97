// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "supervisor/host/service_manager.h"

// A service manager whose unit goes through a row of states, one each time it is asked; the last
// one stays. Starts and stops nothing.
class ScriptedServices : public host::ServiceManager {
 public:
  using Outcome = base::Result<host::JobOutcome>;

  std::deque<host::UnitStatus> states;
  int asked = 0;

  base::Result<host::UnitStatus> status(const std::string& unit) override {
    ++asked;
    if (states.empty()) return base::Problem{{}, "no bus", {}};
    host::UnitStatus now = states.front();
    now.unit = unit;
    if (states.size() > 1) states.pop_front();
    return now;
  }
  base::Result<std::vector<std::string>> instances(const std::string&) override {
    return std::vector<std::string>{};
  }
  Outcome start(const std::string&, base::Duration, const Progress&) override { return no(); }
  Outcome stop(const std::string&, base::Duration) override { return no(); }
  Outcome restart(const std::string&, base::Duration, const Progress&) override { return no(); }
  Outcome reload(const std::string&, base::Duration) override { return no(); }
  Outcome enable(const std::vector<std::string>&) override { return no(); }
  Outcome disable(const std::vector<std::string>&) override { return no(); }
  Outcome mask(const std::vector<std::string>&) override { return no(); }
  Outcome unmask(const std::vector<std::string>&) override { return no(); }
  Outcome run_later(const std::string&, base::Duration, const std::vector<std::string>&) override {
    return no();
  }
  Outcome daemon_reload() override { return no(); }
  Outcome reset_failed(const std::string&) override { return no(); }
  int version() const override { return 252; }

 private:
  static Outcome no() { return base::Problem{{}, "not scripted", {}}; }
};
