// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/time.h"
#include "fastpath/config/tls_config.h"

namespace crypto {

// From when on this end's own certificate, and one of those in `ca`, are valid: before that no
// handshake can succeed, whoever the peer is. Nothing: neither can be read as PEM, which is
// somebody else's to complain about, or there is none (pkcs12 is not looked into: it may be
// encrypted).
std::optional<base::UnixSeconds> valid_from(const config::CertificateConfig& config);

}  // namespace crypto
