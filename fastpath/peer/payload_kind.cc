// SPDX-License-Identifier: Apache-2.0
#include "fastpath/peer/payload_kind.h"

#include "fastpath/packet/ip_header.h"
#include "fastpath/wire/occ_type.h"

namespace peer {

PayloadKind payload_kind(base::ByteSpan payload) {
  if (payload.empty()) return PayloadKind::kEmpty;
  if (packet::ip_family(payload)) return PayloadKind::kIp;
  if (wire::starts_with(payload, wire::kPingMagic)) return PayloadKind::kPing;
  if (wire::starts_with(payload, wire::kOccMagic)) return PayloadKind::kOcc;
  return PayloadKind::kOther;
}

}  // namespace peer
