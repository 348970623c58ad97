// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: cipher negotiation, with a server that pushes and between two equal peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/control/peer_info.h"

namespace control {

// What both ends do with the data channel and with each other, for as long as the session lives.
struct Negotiated {
  std::string cipher = {};  // as ovpn/cipher_name.h spells it
  std::optional<std::uint32_t> peer_id = {};
  bool tls_ekm = false;
  bool dynamic_tls_crypt = false;
  bool exit_notify = false;
  bool epoch = false;
};

// A reason in one line, with the remedy.
using NegotiationResult = base::Result<Negotiated, std::string>;

// What a PUSH_REPLY says about the channel itself.
struct PushedTerms {
  std::optional<std::string> cipher;
  std::optional<std::uint32_t> peer_id;
  bool tls_ekm = false, dynamic_tls_crypt = false, exit_notify = false, epoch = false;
  std::string auth_token, auth_token_user;  // the user in base64, as it came
};

// Reads the terms; the tokens are taken out of `options`, for they are secrets.
base::Result<PushedTerms, std::string> read_terms(std::vector<std::string>& options);

// `server_options`: the server's options string, for servers too old to push a cipher.
NegotiationResult negotiate_with_server(const config::NegotiationConfig& config,
                                        const LocalAbilities& local, const PushedTerms& pushed,
                                        std::string_view server_options);
// The peer-id, if there is one, is kP2pPeerId; with tls_ekm the caller puts in the exported one.
NegotiationResult negotiate_with_peer(const config::TlsConfig& config, const LocalAbilities& local,
                                      const PeerInfo& peer, std::string_view peer_options);

inline constexpr std::uint32_t kP2pPeerId = 0x76706e;

}  // namespace control
