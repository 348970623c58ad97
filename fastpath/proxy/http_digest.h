// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "fastpath/config/proxy_config.h"
#include "fastpath/proxy/http_challenge.h"

namespace proxy {

// The value of Proxy-Authorization that answers a digest challenge for CONNECT (RFC 7616: MD5,
// SHA-256, their -sess forms, qop auth or none). `client_nonce`: unpredictable text without quotes.
// Nothing if the challenge asks for something else, or the crypto library refuses MD5.
std::optional<std::string> digest_answer(const Challenge& challenge,
                                         const config::ProxyLogin& login,
                                         const std::string& authority,
                                         const std::string& client_nonce);

}  // namespace proxy
