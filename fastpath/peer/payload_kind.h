// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"

namespace peer {

// What came out of the tunnel, told by its first bytes.
enum class PayloadKind { kEmpty, kPing, kOcc, kIp, kOther };

PayloadKind payload_kind(base::ByteSpan payload);

}  // namespace peer
