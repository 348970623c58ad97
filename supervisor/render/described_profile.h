// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ovpn/directive.h"
#include "supervisor/site/site.h"

namespace render {

// A described site as directives, near end, in the order of the key table. Places point into the
// site file. The arguments of lines that name files are
// their names as the site writes them. Nothing that depends on an OpenVPN version is in it.
ovpn::Profile described_profile(const site::Site& site);

}  // namespace render
