// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: peer-info, lines NAME=VALUE by which two ends tell what they can do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fastpath/config/tls_config.h"

namespace control {

// Bits of IV_PROTO.
enum ProtoBit : unsigned {
  kProtoDataV2 = 1u << 1,
  kProtoRequestPush = 1u << 2,  // the server may push unasked
  kProtoTlsKeyExport = 1u << 3,
  kProtoAuthPendingKeywords = 1u << 4,
  kProtoP2pNegotiation = 1u << 5,
  kProtoDnsOption = 1u << 6,
  kProtoExitNotify = 1u << 7,
  kProtoAuthFailTemp = 1u << 8,
  kProtoDynamicTlsCrypt = 1u << 9,
  kProtoDataEpoch = 1u << 10,
  kProtoDnsOptionV2 = 1u << 11,
  kProtoPushUpdate = 1u << 12,
};

// What this program does beyond 2.6, as far as those around the control channel do it too.
struct LocalAbilities {
  bool compression = false;
  bool epoch_format = false;
  bool push_update = false;
  bool dns_option_v2 = false;
  int tun_mtu = 1500;
  std::string sign_on = {};  // IV_SSO, unless the config says it
};

struct PeerInfo {
  unsigned proto = 0;  // 0: not told
  int ncp = 0;
  std::vector<std::string> ciphers;  // IV_CIPHERS, or what IV_NCP=2 stands for

  bool can(ProtoBit bit) const { return (proto & bit) != 0; }
};

std::string make_peer_info(const config::TlsConfig& config, const LocalAbilities& local);
PeerInfo parse_peer_info(std::string_view text);

}  // namespace control
