// SPDX-License-Identifier: Apache-2.0
// The questions that decide what a config is at all, answered in one place for both programs.
#pragma once

#include "ovpn/cipher_name.h"
#include "ovpn/directive.h"
#include "ovpn/static_key.h"

namespace ovpn {

enum class TunnelMode {
  kStaticKey,  // `secret`
  kTls,        // tls-client, tls-server, client, pull or server
  kNull,       // neither: nothing is encrypted or authenticated, and there is no packet id
};
TunnelMode tunnel_mode(const Profile& profile);

// Whether every datagram would be taken at its word: null mode, and a static key that is not used
// because of `cipher none` and `auth none`. Only a configured remote or a person's word makes up
// for it.
bool nothing_authenticates(const Profile& profile);

// The directive that makes it TLS mode or server mode; nullptr if none does.
const Directive* tls_directive(const Profile& profile);

// From `key-direction`, or from `secret`'s second argument; the later one wins. Values that are
// neither 0 nor 1 count as not given (config_errors() tells them).
KeyDirection key_direction(const Profile& profile);

// `cipher` and `auth` as written or by default. Null mode uses neither. nullptr: a name that is not
// in the tables of cipher_name.h.
const CipherName* configured_cipher(const Profile& profile);
const DigestName* configured_digest(const Profile& profile);

enum class DeviceType { kTun, kTap, kNull, kUnknown };
// `dev-type` if given, else by the beginning of `dev`'s name, as stock does.
DeviceType device_type(const Profile& profile);

}  // namespace ovpn
