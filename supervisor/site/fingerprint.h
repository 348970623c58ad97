// SPDX-License-Identifier: Apache-2.0
// The SHA-256 fingerprint of a certificate, as two people hand it to each other.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace site {

// "6E:3C:…": 32 pairs in capitals with colons, as `openssl x509 -fingerprint -sha256` prints them
// and `peer-fingerprint` takes them. Read from any case, with or without colons, and with what
// openssl prints in front of the '='. The Problem says what is wrong with `text`.
base::Result<std::string> read_fingerprint(std::string_view text);

}  // namespace site
