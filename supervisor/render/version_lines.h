// SPDX-License-Identifier: Apache-2.0
// What only some OpenVPN versions know or want.
#pragma once

#include <vector>

#include "ovpn/directive.h"
#include "supervisor/render/render.h"

namespace render {

// The two ends have keys of their own and negotiate; nothing here is for them.
bool is_tls(const ovpn::Profile& profile);

// Lines that a static-key or clear-text config needs beside its own to run on `version`; those it
// has already are left out.
std::vector<ovpn::Directive> version_lines(const ovpn::Profile& profile, ForVersion version);

}  // namespace render
