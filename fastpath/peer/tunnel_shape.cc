// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/tunnel_shape.h"

#include <algorithm>

#include "fastpath/data/framing.h"
#include "ovpn/cipher_name.h"
#include "ovpn/options_string.h"

namespace peer {
namespace {

// What the config alone decides.
ovpn::FrameShape shape_without_key(const config::TunnelConfig& config) {
  ovpn::FrameShape shape;
  shape.framing_bytes = config::adds_byte(config.crypto.framing) ? 1 : 0;
  shape.fragment = config.fragment.bytes > 0;
  shape.tcp = config.link.transport != config::Transport::kUdp;
  return shape;
}

// With a netmask in it `ifconfig` is told in a form of its own, which is not made here.
bool tells_ifconfig(const config::TunnelConfig& config) {
  return !config.device.topology_subnet && !config.device.ifconfig_nowarn;
}

ovpn::OccValues occ_values(const config::TunnelConfig& config, const wire::StaticLayout& layout) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(config.crypto.cipher);
  ovpn::OccValues values;
  values.dev_type = config.device.kind == config::DeviceKind::kNull ? "null" : "tun";
  values.link_mtu = ovpn::occ_link_mtu(frame_shape(config, layout), config.device.mtu);
  values.tun_mtu = config.device.mtu;
  values.proto = config::occ_proto(config.link.transport);
  values.ifconfig_ipv6 = !config.device.ifconfig_ipv6_local.empty();
  if (tells_ifconfig(config)) {
    values.ifconfig_local = config.device.ifconfig_local;
    values.ifconfig_remote = config.device.ifconfig_remote_or_mask;
  }
  values.fragment = config.fragment.bytes > 0;
  values.framing = config.crypto.framing != config::Framing::kNone;
  values.secret = !config.crypto.null_mode;
  values.key_direction = config.crypto.direction;
  values.cipher = config.crypto.cipher;
  values.cipher_key_bytes = cipher != nullptr ? cipher->key_bytes : 0;
  values.digest = config.crypto.auth;
  values.no_replay = !config.crypto.replay;
  return values;
}

}  // namespace

ovpn::FrameShape frame_shape(const config::TunnelConfig& config, const wire::StaticLayout& layout) {
  ovpn::FrameShape shape = shape_without_key(config);
  shape.block_bytes = static_cast<int>(layout.iv_bytes);
  shape.digest_bytes = static_cast<int>(layout.hmac_bytes);
  shape.packet_id = layout.packet_id_bytes != 0;
  return shape;
}

ovpn::FrameShape frame_shape(const config::TunnelConfig& config, const data::KeyOverhead& key) {
  ovpn::FrameShape shape = shape_without_key(config);
  shape.opcode_bytes = static_cast<int>(key.header);
  shape.block_bytes = static_cast<int>(key.block);
  shape.digest_bytes = static_cast<int>(key.hmac);
  shape.tag_bytes = static_cast<int>(key.tag);
  shape.packet_id_bytes = static_cast<int>(key.packet_id);
  return shape;
}

std::size_t piece_max(const config::TunnelConfig& config, const ovpn::FrameShape& shape,
                      base::IpFamily link_family) {
  // Below that a packet of the largest MTU would need too many pieces.
  constexpr int kPieceMin = 64;
  if (config.fragment.bytes <= 0) return 0;
  const base::IpFamily* outer = config.fragment.with_ip ? &link_family : nullptr;
  return static_cast<std::size_t>(
      std::max(ovpn::fragment_bytes_max(shape, config.fragment.bytes, outer), kPieceMin));
}

std::size_t framed_bytes_max(const config::TunnelConfig& config) {
  // A peer may have a larger MTU than ours; OpenVPN takes tunnel packets up to 1600 bytes then.
  constexpr std::size_t kTunMtuMax = 1600;
  const auto mtu = static_cast<std::size_t>(std::max(config.device.mtu, 0));
  return std::max(mtu, kTunMtuMax) + data::kFramingBytesMax;
}

data::MssLimits mss_limits(const config::TunnelConfig& config, const ovpn::FrameShape& shape,
                           base::IpFamily link_family) {
  const ovpn::MssfixRule rule{config.mssfix.bytes, config.mssfix.meaning};
  const auto limit = [&](base::IpFamily inner) {
    return static_cast<std::uint16_t>(ovpn::mssfix_mss(shape, rule, link_family, inner));
  };
  return {.ipv4 = limit(base::IpFamily::kIpv4), .ipv6 = limit(base::IpFamily::kIpv6)};
}

std::string own_options(const config::TunnelConfig& config, const wire::StaticLayout& layout) {
  return ovpn::options_string(occ_values(config, layout));
}

std::string options_difference(const config::TunnelConfig& config, const wire::StaticLayout& layout,
                               std::string_view peer_options) {
  const std::string expected = ovpn::expected_options_string(occ_values(config, layout));
  std::string told;
  for (const ovpn::OptionDifference& difference : ovpn::compare_options(expected, peer_options)) {
    if (difference.name == "ifconfig" && !tells_ifconfig(config)) continue;
    told += (told.empty() ? "" : ", ") + ovpn::to_string(difference);
  }
  return told;
}

}  // namespace peer
