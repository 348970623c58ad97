// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/ip.h"
#include "base/time.h"
#include "fastpath/crypto/hmac_digest.h"
#include "fastpath/wire/control_header.h"

namespace control {

// Session ids by which a server knows that who sends the second packet received the answer to the
// first, without having kept anything (OpenVPN protocol: stateless cookie). Used by one thread.
class CookieMaker {
 public:
  static constexpr std::size_t kKeyBytes = 32;

  // `slot`: half of hand-window; a cookie is good for up to three of them.
  CookieMaker(crypto::Library& library, base::ByteSpan key, base::Duration slot)
      : mac_(library, "SHA256", key), slot_(slot) {}

  wire::SessionId make(base::TimePoint now, const base::Endpoint& from,
                       const wire::SessionId& client);
  bool good(base::TimePoint now, const base::Endpoint& from, const wire::SessionId& client,
            const wire::SessionId& cookie);

 private:
  wire::SessionId at_slot(std::int64_t slot, const base::Endpoint& from,
                          const wire::SessionId& client);
  std::int64_t slot_of(base::TimePoint now) const { return now.time_since_epoch() / slot_; }

  crypto::HmacDigest mac_;
  base::Duration slot_;
};

}  // namespace control
