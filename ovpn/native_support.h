// SPDX-License-Identifier: Apache-2.0
// What keeps a config off the native engine. The fast path refuses on it, the supervisor chooses
// the engine by it: both ask here, so that they can never disagree.
#pragma once

#include "ovpn/directive.h"

namespace ovpn {

// Empty: the fast path runs this config. Otherwise each entry says which line needs stock OpenVPN
// and why ("tls-client: TLS mode", "comp-lzo: LZO compression"). Places point into the config.
// Directives the table does not know are not gaps; check_directives reports those.
base::Problems native_gaps(const Profile& profile);

}  // namespace ovpn
