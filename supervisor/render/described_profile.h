// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ovpn/directive.h"
#include "supervisor/site/site.h"

namespace render {

// A described site as directives, near end, in the order of the key table. Places point into the
// site file. `secret`'s argument is the key file's name as the site writes it. Nothing that depends
// on an OpenVPN version is in it.
ovpn::Profile described_profile(const site::Site& site);

}  // namespace render
