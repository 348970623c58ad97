// SPDX-License-Identifier: Apache-2.0
// The switch of a running site from its static key to fingerprints, and back. The site file stays
// as it is until the switch stands: what runs meanwhile is a copy on trial in /run, so a boot ends
// the trial. A timer of systemd's does each step, and whatever becomes of one, the next begins
// where it was left.
#pragma once

#include <string>
#include <utility>

#include "base/time.h"
#include "supervisor/cli/context.h"
#include "supervisor/cli/migrated_site.h"
#include "supervisor/cli/migration.h"
#include "supervisor/cli/work.h"

namespace cli {

enum class MigrationStage {
  kPrepared,  // it runs with its static key
  kTrial,     // it runs with fingerprints, and goes back if the far end is not heard
  kBack,      // a trial ended, and the unit has yet to go back to the static key
  kStands
};

// Each call is made with the command's lock (Context::hold) held, gives an exit status and has told
// what went wrong.
class MigrationSwitch {
 public:
  MigrationSwitch(Context& context, host::ServiceManager& services, Migration migration)
      : context_(context), services_(services), note_(std::move(migration)) {}

  MigrationStage stage() const;
  // Has systemd switch over at Migration::at, which is in the future.
  int arm();
  // What the timer runs: switches over, or judges the trial. kOk where there is nothing to do.
  int step();
  // The unit as it was before, `why` noted; what was prepared stays.
  int go_back(const std::string& why);
  // The same, and nothing of it left. Also where it stands.
  int undo();
  // The static key is deleted: there is no way back.
  int finish();

  const Migration& note() const { return note_; }

 private:
  int write_note();
  int arm_timer(const std::string& name, base::Duration delay);
  void disarm(const std::string& name);
  int begin_again();
  int switch_over();
  int start_trial(const MigratedSite& site);
  int judge();
  int settle();
  int restart();
  int give_up(const std::string& why);

  Context& context_;
  host::ServiceManager& services_;
  Migration note_;
};

// The site as it would read, seen by `examine` as if it were written.
base::Result<MigratedSite, ReportFailure> plan_migration(Context& context, const Migration& note);

}  // namespace cli
