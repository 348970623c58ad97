// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ovpn/directive.h"
#include "supervisor/render/render.h"

namespace render {

// The kept config's path as an admin would write it, always absolute (without the root).
std::string config_path(const site::Site& site);
// Where its relative paths begin: its own folder, or what `cd` says. Without the root.
std::string working_folder(const site::Site& site, const ovpn::Profile& profile);

}  // namespace render
