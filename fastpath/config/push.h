// SPDX-License-Identifier: Apache-2.0
// What a server said, put over what the file says (OpenVPN protocol: options a client must
// understand in a PUSH_REPLY). Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fastpath/config/tunnel_config.h"

namespace config {

// A server is believed only so far: what exceeds these is left out and told.
inline constexpr std::size_t kPushOptionsMax = 8192;
inline constexpr std::size_t kPushOptionBytesMax = 255;  // OpenVPN's buffer for one option
inline constexpr std::size_t kPushRoutesMax = 4096;      // of each family
inline constexpr std::size_t kPushVariablesMax = 128;    // setenv-safe
inline constexpr std::size_t kPushNotesMax = 32;

struct PushContext {
  bool tcp = false;        // explicit-exit-notify means nothing
  int tun_mtu_max = 1600;  // OpenVPN's default of tun-mtu-max: what we told the server in IV_MTU
};

// Of the session, not of the host.
struct ChannelPush {
  std::optional<std::string> cipher;  // normalised, and one that the config offers
  std::optional<std::uint32_t> peer_id;
  bool tls_ekm = false, cc_exit = false, dyn_tls_crypt = false, aead_epoch = false;
  std::optional<std::string> auth_token, auth_token_user;
};

using PushDigest = std::array<std::uint8_t, 32>;

struct Pushed {
  DeviceConfig device;  // the file's, with addresses, routes, name servers and MTU of the server
  KeepaliveConfig keepalive;
  MssfixConfig mssfix;  // follows a pushed MTU unless the file says more
  Framing framing = Framing::kNone;
  int sndbuf_bytes = 0, rcvbuf_bytes = 0;  // 0: nothing was pushed
  ChannelPush channel;
  std::vector<std::pair<std::string, std::string>> environment;  // of the server's setenv-safe
  std::vector<std::string> notes;  // options left out and why, each one log line
  PushDigest digest{};             // equal: a tun that persists can stay as it is
};

// `options` as PushReceived has them: continuations joined, pull-filter applied. A single faulty or
// unknown option is left out with a note, as in stock. A Problem is what no tunnel can live with: a
// cipher that was not offered, a key derivation or compression that this engine does not do.
base::Result<Pushed> apply_push(const TunnelConfig& file, std::span<const std::string> options,
                                const PushContext& context);

// The options after a PUSH_UPDATE (2.7), to be handed to apply_push() again. The first option of a
// name clears what was there of that name; "-name" removes it; "?" marks what may be passed over. A
// Problem names the option that may not be updated: stock restarts then.
base::Result<std::vector<std::string>> apply_push_update(std::span<const std::string> options,
                                                         std::span<const std::string> update);

// SHA-256 over what matters to the interface: not over the session's own options and timers.
PushDigest push_digest(std::span<const std::string> options);

}  // namespace config
