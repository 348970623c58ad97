// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/cookie.h"

#include <array>

#include "base/error.h"

namespace control {

wire::SessionId CookieMaker::at_slot(std::int64_t slot, const base::Endpoint& from,
                                     const wire::SessionId& client) {
  std::array<std::uint8_t, 8 + 16 + 2 + wire::SessionId::kBytes> covered{};
  base::ByteWriter writer(covered);
  writer.be64(static_cast<std::uint64_t>(slot));
  writer.bytes(client.bytes);
  writer.be16(from.port);
  writer.bytes(from.address.bytes());
  std::array<std::uint8_t, 32> mac{};
  if (!mac_.compute(base::ByteSpan(covered).first(writer.size()), mac)) {
    throw base::FatalError("the crypto library failed to make a cookie");
  }
  return wire::SessionId::from(mac);
}

wire::SessionId CookieMaker::make(base::TimePoint now, const base::Endpoint& from,
                                  const wire::SessionId& client) {
  return at_slot(slot_of(now), from, client);
}

bool CookieMaker::good(base::TimePoint now, const base::Endpoint& from,
                       const wire::SessionId& client, const wire::SessionId& cookie) {
  bool good = false;
  for (const int back : {0, 1, 2}) {
    const wire::SessionId wanted = at_slot(slot_of(now) - back, from, client);
    good |= crypto::equal_in_constant_time(wanted.bytes, cookie.bytes);
  }
  return good;
}

}  // namespace control
