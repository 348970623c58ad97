// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/peer_info.h"

#include <algorithm>

#include "base/text.h"

namespace control {
namespace {

constexpr int kTunMtuMax = 1600;  // OpenVPN protocol: default of tun-mtu-max

std::string joined_ciphers(const config::NegotiationConfig& negotiation) {
  std::string joined;
  for (const std::string& cipher : negotiation.data_ciphers) {
    joined += (joined.empty() ? "" : ":") + cipher;
  }
  return joined;
}

unsigned proto_of(bool pull, const LocalAbilities& local) {
  unsigned proto = kProtoDataV2 | kProtoTlsKeyExport | kProtoExitNotify | kProtoDynamicTlsCrypt;
  if (local.epoch_format) proto |= kProtoDataEpoch;
  if (!pull) return proto | kProtoP2pNegotiation;
  proto |= kProtoRequestPush | kProtoAuthPendingKeywords | kProtoDnsOption | kProtoAuthFailTemp;
  if (local.dns_option_v2) proto |= kProtoDnsOptionV2;
  if (local.push_update) proto |= kProtoPushUpdate;
  return proto;
}

bool has(const config::NegotiationConfig& negotiation, std::string_view cipher) {
  return std::ranges::find(negotiation.data_ciphers, cipher) != negotiation.data_ciphers.end();
}

// IV_GUI_VER and IV_SSO are told always, the rest only with push-peer-info.
std::string told_by_config(const config::NegotiationConfig& negotiation,
                           const std::string& sign_on) {
  std::string lines;
  bool version = false, told_sign_on = sign_on.empty();
  for (const auto& [name, value] : negotiation.peer_info) {
    const bool always = name == "IV_GUI_VER" || name == "IV_SSO";
    if (!always && !negotiation.push_peer_info) continue;
    version |= name == "IV_GUI_VER";
    told_sign_on |= name == "IV_SSO";
    lines += name + "=" + value + "\n";
  }
  if (!told_sign_on) lines += "IV_SSO=" + sign_on + "\n";
  return lines + (version ? "" : "IV_GUI_VER=tunctl\n");
}

}  // namespace

std::string make_peer_info(const config::TlsConfig& config, const LocalAbilities& local) {
  const config::NegotiationConfig& negotiation = config.negotiation;
  const bool pull = config.pull.pull;
  std::string info;
  if (pull) {
    info += "IV_VER=2.6.14\nIV_PLAT=linux\nIV_TCPNL=1\n";
    info += "IV_MTU=" + std::to_string(std::max(kTunMtuMax, local.tun_mtu)) + "\n";
    if (negotiation.ncp && has(negotiation, "AES-128-GCM") && has(negotiation, "AES-256-GCM")) {
      info += "IV_NCP=2\n";
    }
  }
  if (negotiation.ncp) info += "IV_CIPHERS=" + joined_ciphers(negotiation) + "\n";
  info += "IV_PROTO=" + std::to_string(proto_of(pull, local)) + "\n";
  if (!pull) return info;
  info += local.compression ? "IV_LZ4=1\nIV_LZ4v2=1\nIV_LZO=1\n" : "IV_LZO_STUB=1\n";
  return info + "IV_COMP_STUB=1\nIV_COMP_STUBv2=1\n" + told_by_config(negotiation, local.sign_on);
}

PeerInfo parse_peer_info(std::string_view text) {
  PeerInfo info;
  for (const std::string_view line : base::split(text, '\n')) {
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string_view value = base::trim(line.substr(equals + 1));
    if (name == "IV_PROTO") info.proto = base::parse_number<unsigned>(value).value_or(0);
    if (name == "IV_NCP") info.ncp = base::parse_number<int>(value).value_or(0);
    if (name != "IV_CIPHERS") continue;
    for (const std::string_view cipher : base::split(value, ':')) info.ciphers.emplace_back(cipher);
  }
  if (info.ciphers.empty() && info.ncp >= 2) info.ciphers = {"AES-256-GCM", "AES-128-GCM"};
  return info;
}

}  // namespace control
