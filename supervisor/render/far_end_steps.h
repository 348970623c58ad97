// SPDX-License-Identifier: Apache-2.0
// Modes fingerprint and pki: what an admin does on the other machine, whose key is made there.
#pragma once

#include <string>

#include "supervisor/render/render.h"

namespace render {

// The command that makes the far end of a site where tunctl is installed: roles, addresses and
// networks changed round, and this end's fingerprint in mode fingerprint. THIS-HOST stands where
// nothing says how that machine reaches this one. Empty: the site holds something that `tunctl new`
// has no option for.
std::string far_end_command(const site::Site& site, const std::string& own_fingerprint);

// Comment lines for the head of a far end's config; empty for every other mode.
std::string far_end_steps(const RenderInput& input);

}  // namespace render
