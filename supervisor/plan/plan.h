// SPDX-License-Identifier: Apache-2.0
// From what is wanted and what is there to an ordered list of actions. Pure; planning again after
// the list has run gives an empty list.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/wipe.h"
#include "supervisor/plan/action.h"
#include "supervisor/render/artifact.h"

namespace plan {

struct Folder {
  std::string path;
  mode_t mode = 0755;
};

struct Desired {
  std::vector<Folder> folders;
  // Absolute paths, written in this order: what makes the others count comes last, so that a kill
  // in between leaves nothing that looks whole.
  std::vector<render::Artifact> files;
  std::vector<std::string> stopped, disabled, masked;  // units
  std::vector<std::string> absent;             // removed in this order: the deepest path first
  std::vector<std::string> unmasked, enabled;  // units
  bool reload = false;                         // even if no unit file changes here
};

struct FileState {
  bool is_folder = false;
  mode_t mode = 0;
  std::string bytes;

  ~FileState() { base::wipe(bytes); }  // a key, perhaps
};

struct UnitState {
  bool enabled = false;
  bool active = false;
  bool masked = false;
};

// What is there, of the paths and units that a Desired names. An absent path or unit has no entry.
struct Present {
  std::map<std::string, FileState> files;
  std::map<std::string, UnitState> units;
};

std::vector<Action> plan(const Desired& desired, const Present& present);

}  // namespace plan
