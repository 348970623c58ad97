// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "fastpath/config/tunnel_config.h"

namespace engine {

// What this end tells its TLS peer about its options (OpenVPN protocol: OCC options string in TLS
// mode). A difference stops nothing; only peers of 2.3 and older go by the cipher in it.
std::string tls_options_string(const config::TunnelConfig& config, config::Transport transport);

}  // namespace engine
