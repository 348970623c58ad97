// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"

#include "supervisor/host/local_unit.h"

namespace host {

struct LocalSettings {
  std::string root;     // --root, or empty
  std::string program;  // tunctl itself: run as `PROGRAM prepare NAME`, `PROGRAM exec NAME`
  std::vector<std::string> options;  // before the verb, e.g. --root DIR
  // What is run when a main process has ended, as ExecStopPost= in the unit and with its
  // environment; empty: nothing.
  std::function<std::vector<std::string>(const std::string& site)> command_after;
  UnitRules rules;
  bool label_output = false;  // what children print comes as lines that begin with the site's name
};

// The real children of one site: what systemd would start for tunctl@SITE.service. `settings` and
// the descriptor `output` (ChildOptions::output) must outlive it.
class SiteProcesses : public UnitProcesses {
 public:
  SiteProcesses(const LocalSettings& settings, std::string runtime_folder, std::string site,
                std::string notify_address, int output);

  base::Result<int> start_prepare() override;
  base::Result<int> start_main() override;
  base::Result<int> start_reload(int main_pid);  // `prepare --reload`, which signals the main pid
  void send_signal(int pid, int number) override;
  void kill_group(int pid) override;
  void clean_up(const EndWords& end) override;
  // As FileDescriptorStoreMax= in the unit: what the main process sends is given to the next one.
  void store(const Notification& said, std::vector<base::UniqueFd> descriptors);

 private:
  void remove_folder();
  void forget_interfaces();
  void run_command_after(const EndWords& end);
  void give_stored(ChildOptions& options) const;
  base::Result<int> start(const std::vector<std::string>& words, bool main, int main_pid);

  const LocalSettings& settings_;
  const std::string folder_, site_, notify_address_;
  const int output_;
  std::vector<std::pair<std::string, base::UniqueFd>> stored_;
};

}  // namespace host
