// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/ip.h"
#include "fastpath/config/tunnel_config.h"
#include "fastpath/data/key_slot.h"
#include "fastpath/data/mss_clamp.h"
#include "fastpath/wire/static_layout.h"
#include "ovpn/frame_size.h"

namespace peer {

// What a tunnel's sizes and names come to for the rules of OpenVPN that both programs share.
// `layout`: all zeros in null mode. `link_family`: of the outer packets.
ovpn::FrameShape frame_shape(const config::TunnelConfig& config, const wire::StaticLayout& layout);
ovpn::FrameShape frame_shape(const config::TunnelConfig& config, const data::KeyOverhead& key);
data::MssLimits mss_limits(const config::TunnelConfig& config, const ovpn::FrameShape& shape,
                           base::IpFamily link_family);
// The largest piece of `fragment`; 0 without.
std::size_t piece_max(const config::TunnelConfig& config, const ovpn::FrameShape& shape,
                      base::IpFamily link_family);
// The largest payload inside the encryption, without a fragment header.
std::size_t framed_bytes_max(const config::TunnelConfig& config);

// The options strings: ours, and that of a peer that fits.
std::string own_options(const config::TunnelConfig& config, const wire::StaticLayout& layout);
// How the peer's differ from what fits, for a person; empty if they do not.
std::string options_difference(const config::TunnelConfig& config, const wire::StaticLayout& layout,
                               std::string_view peer_options);

}  // namespace peer
