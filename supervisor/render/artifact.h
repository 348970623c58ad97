// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

#include "base/wipe.h"

namespace render {

// A file to be written, as a value. Secret ones are 0400/0600 and are never printed unasked.
struct Artifact {
  std::string path;  // relative to the folder it is rendered for, or absolute
  std::string bytes;
  mode_t mode = 0644;
  bool secret = false;

  ~Artifact() {
    if (secret) base::wipe(bytes);
  }
  friend bool operator==(const Artifact&, const Artifact&) = default;
};

}  // namespace render
