// SPDX-License-Identifier: Apache-2.0
// The switch from a unit of stock OpenVPN to a site, and back. Whatever becomes of the command
// while the switch does not stand, a timer of systemd's gives the old unit back; and as nothing is
// enabled or disabled before it stands, so does a boot.
#pragma once

#include <string>
#include <utility>

#include "base/time.h"
#include "supervisor/cli/adopted_site.h"
#include "supervisor/cli/adoption.h"
#include "supervisor/cli/context.h"
#include "supervisor/cli/progress.h"

namespace cli {

// The steps of the switch for one site. Each is called with the command's lock (Context::hold)
// held, but for wait(). All give an exit status and have told what went wrong.
class Switch {
 public:
  Switch(Context& context, host::ServiceManager& services, Adoption adoption)
      : context_(context),
        services_(services),
        adoption_(std::move(adoption)),
        progress_(context, adoption_.site) {}
  Switch(const Switch&) = delete;

  // Arms the timer, writes the site, and stops the old unit. If it fails, all is as it was.
  int begin(const AdoptedSite& site, base::Duration wait);
  // Starts the site's unit and waits for its far end, both in the time `wait`; kNotUp, with the
  // reason told.
  int start(base::Duration wait);
  int wait();
  // Has the timer wait for --confirm from now on.
  int await_confirmation(base::Duration wait);
  // The site has its place: it starts at boot, the old unit does not any more.
  int settle();
  // The other way: the site stopped, disabled and deleted, the old unit as it was. What it cannot
  // do now a later call does; the note stays until all is done.
  int give_back();
  // Before that, where a person asks for it: if the command dies on the way the timer goes on.
  int promise_to_give_back();

  const Adoption& adoption() const { return adoption_; }

 private:
  int arm(const std::string& name, base::Duration delay);
  void disarm(const std::string& name);
  bool interrupted() const;
  int tell_reason(const std::string& words);
  int restore_old_unit();

  Context& context_;
  host::ServiceManager& services_;
  Adoption adoption_;
  Progress progress_;
  base::TimePoint end_{};  // of the time that start() was given
};

// What the old unit is about once it has its place back, as a clause.
std::string state_again(const Adoption& adoption);

// What would be done, for --dry-run.
void describe_switch(Context& context, const AdoptedSite& site, const Adoption& adoption,
                     bool confirm);

}  // namespace cli
