// SPDX-License-Identifier: Apache-2.0
// What keeps a config off the native engine, and what keeps it off any engine. The fast path
// refuses on both, the supervisor chooses the engine by the first: both ask here, so that they can
// never disagree. Give them a profile whose includes are expanded (ovpn/profile_file.h).
#pragma once

#include "ovpn/directive.h"

namespace ovpn {

// What the native engine of this version runs beside static keys: the one place that says
// so. Whoever teaches the engine something turns its switch here; both programs, their tests and
// the manual follow.
struct NativeAbilities {
  bool tls = false;  // tls-client, client, and tls-server for one peer
};
inline constexpr NativeAbilities kNative{.tls = true};

// Empty: the fast path runs this config. Otherwise each entry says which line needs stock OpenVPN
// and why ("tls-client: TLS mode", "dev: tap devices"). Places point into the config.
// `abilities`: of an engine to come, for its tests and for tables.
// Directives the table does not know are not gaps; check_directives reports those.
base::Problems native_gaps(const Profile& profile, const NativeAbilities& abilities = kNative);

// Contradictions and values that no engine can run: stock OpenVPN refuses them too, or would do
// something nobody asked for. A config with neither `secret` nor TLS is refused unless it says
// `cipher none` and `auth none`: stock quietly ignores `cipher AES-256-CBC` there and sends clear
// text, which is never what its author wanted.
base::Problems config_errors(const Profile& profile, const NativeAbilities& abilities = kNative);

// The part of config_errors() that a config in TLS mode for one peer has to pass: what has to be
// there, and what excludes each other.
base::Problems tls_errors(const Profile& profile);

}  // namespace ovpn
