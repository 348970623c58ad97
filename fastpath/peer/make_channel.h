// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "fastpath/data/framing.h"
#include "fastpath/data/static_channel.h"
#include "fastpath/peer/peer.h"

namespace peer {

// The channel of a static key; nothing in the other modes. Throws base::FatalError if the key is
// missing or the crypto library has no such cipher or digest.
std::unique_ptr<data::StaticChannel> make_channel(const PeerParts& parts, base::TimePoint now);
// The keys of TLS mode, none yet; nothing in the other modes.
std::unique_ptr<data::KeyRing> make_ring(const PeerParts& parts);
data::Framing framing_of(config::Framing framing);

}  // namespace peer
