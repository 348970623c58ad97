// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: types of the option consistency check; the byte behind kOccMagic.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fastpath/wire/magic.h"

namespace wire {

enum class OccType : std::uint8_t {
  kRequest = 0,         // no body: asks for a REPLY
  kReply = 1,           // the sender's options string, ended by a NUL
  kMtuLoadRequest = 2,  // 2 to 5 serve `mtu-test` and need no answer
  kMtuLoad = 3,
  kMtuRequest = 4,
  kMtuReply = 5,
  kExit = 6,  // no body: the sender goes away
};

inline constexpr std::size_t kOccTypeAt = kMagicBytes;
inline constexpr std::size_t kOccHeaderBytes = kMagicBytes + sizeof(OccType);
static_assert(kOccHeaderBytes == 17);

}  // namespace wire
