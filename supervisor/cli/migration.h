// SPDX-License-Identifier: Apache-2.0
// What has to be remembered of a link that goes from a static key to fingerprints, so that every
// step can be repeated, gone on with and undone, by a command, by a timer and after a boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "supervisor/cli/context.h"

namespace cli {

struct Migration {
  std::string site;
  std::string role;              // of TLS, this end's: "server", "client"
  std::string peer_fingerprint;  // empty: not told yet
  int wait_seconds = 60;         // how long the far end may take to be heard
  int silence_seconds = 0;   // until this end says that the far end is not heard; 0: it never does
  base::UnixSeconds at = 0;  // the moment that was agreed on; 0: none
  base::UnixSeconds trial_since = 0;  // when the unit was switched over; 0: it runs as before
  base::UnixSeconds due = 0;          // when the trial is judged next
  bool heard = false;                 // the first judgement was good
  bool stands = false;                // the site is of fingerprints for good
  std::string outcome;                // why the last trial ended, as a clause; empty: it did not
  std::string old_text;               // the site file before it stood; empty: it still is as it was
  std::vector<std::string> made;      // files that are only there for this
  std::vector<std::string> secrets;   // what holds the static key and is only this site's

  friend bool operator==(const Migration&, const Migration&) = default;
};

std::string format_migration(const Migration& migration);  // JSON
base::Result<Migration> parse_migration(std::string_view file, std::string_view text);

// Of that site; nothing: it is not under way. A Problem: the note cannot be read.
base::Result<std::optional<Migration>> migration_of(Context& context, const std::string& site);

}  // namespace cli
