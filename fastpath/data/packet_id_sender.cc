// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/packet_id_sender.h"

#include <algorithm>

namespace data {
namespace {

constexpr base::UnixSeconds kTimeMax = 0xFFFFFFFF;

}  // namespace

bool PacketIdSender::start_new_time(base::UnixSeconds wall) {
  const base::UnixSeconds time = std::max<base::UnixSeconds>(wall, value(last_.time) + 1LL);
  if (time > kTimeMax) return false;
  last_ = {wire::PacketId{0}, wire::PacketTime{static_cast<std::uint32_t>(time)}};
  return true;
}

std::optional<wire::LongPacketId> PacketIdSender::next() {
  if (exhausted()) return std::nullopt;
  last_.id = wire::PacketId{value(last_.id) + 1};
  return last_;
}

}  // namespace data
