// SPDX-License-Identifier: Apache-2.0
// Scripts by which a kept config changes the machine around its tunnel. Those that judge who may
// connect are not among them: to leave one of these out would open the tunnel. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "ovpn/directive.h"
#include "supervisor/site/site.h"

namespace render {

// up, down, route-up, route-pre-down, ipchange, and the plugin that runs a `down` script as root.
bool changes_host(const ovpn::Directive& line);

// Such a line whose script hands pushed name servers to this machine (update-resolv-conf,
// update-systemd-resolved): tunctl does that itself, where dns.use says so.
bool sets_name_servers(const ovpn::Directive& line);

// Why this site's engine does not get the line, as a short clause; nothing: it does.
std::optional<std::string_view> dropped_script(const site::Site& site, const ovpn::Directive& line);

}  // namespace render
