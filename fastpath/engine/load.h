// SPDX-License-Identifier: Apache-2.0
// From the command line to everything a tunnel needs: config files read, checked, the key in hand.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/engine/own_options.h"
#include "ovpn/static_key.h"

namespace engine {

// SHA-256 over all that makes a tunnel what it is: every option as read, and every key.
using LoadedHash = std::array<std::uint8_t, 32>;

struct Loaded {
  config::TunnelConfig config;
  OwnOptions own;
  std::string config_file;  // the first one, absolute; empty: options only
  LoadedHash hash{};
  std::optional<ovpn::StaticKey> key;  // of a static-key tunnel; TLS keeps its files in config.tls
};

// Reads config files and keys, and follows `cd`. All problems at once: grammar, unknown names,
// what the native engine does not do (by name, file and line), meaning, key. File names on the
// command line are relative to `directory`, so that a second call after `cd` reads the same files.
base::Result<Loaded, base::Problems> load(const std::vector<std::string>& arguments,
                                          const std::string& directory);

// Reads the key from where the config says. The text of an inline one is wiped: it can be read only
// once, and a restart without persist-key has nothing to read again.
base::Result<std::optional<ovpn::StaticKey>> load_key(config::CryptoConfig& crypto,
                                                      base::Problems& warnings);

}  // namespace engine
