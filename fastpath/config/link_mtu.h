// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fastpath/config/tunnel_config.h"

namespace config {

// The tunnel's MTU that `link-mtu` leaves of its bytes, as OpenVPN 2.6 counts: more than any packet
// grows by, with the cipher of the config and not the one that is agreed on later, and without what
// framing and `fragment` add. `tcp`: the longest way of several.
int tun_mtu_of_link_mtu(const TunnelConfig& config, int link_mtu, bool tcp);

}  // namespace config
