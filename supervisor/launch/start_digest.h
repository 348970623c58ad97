// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "supervisor/launch/load_site.h"
#include "supervisor/site/paths.h"

namespace launch {

// In the runtime folder, what start_digest() was when the engine was started or last reloaded. Its
// owner's alone: passwords that are easy to guess are in it, and a digest would prove a guess.
inline constexpr const char* kStartDigestFile = "start.sha256";

// SHA-256, in hex, of all that an engine's start takes from site file, config, keys and logins:
// directives as rendered, the files beside them, and what [run] and [dns] say. Comments and the
// words for people are not in it. Empty: the site cannot be rendered. `starts_as_root`: as
// RenderInput's.
std::string start_digest(const LoadedSite& loaded, const site::Paths& paths, bool starts_as_root);

}  // namespace launch
