// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/framing.h"

#include "fastpath/wire/compression_byte.h"

namespace data {
namespace {

void swap_in(packet::Packet& packet) {
  packet.push_back(1)[0] = packet.bytes()[0];
  packet.bytes()[0] = wire::kNotCompressedSwap;
}

bool swap_out(packet::Packet& packet) {
  if (packet.size() < 2 || packet.bytes()[0] != wire::kNotCompressedSwap) return false;
  packet.bytes()[0] = packet.bytes()[packet.size() - 1];
  packet.pop_back(1);
  return true;
}

void escape(packet::Packet& packet) {
  if (packet.bytes()[0] != wire::kV2Indicator) return;
  const base::MutableByteSpan front = packet.push_front(2);
  front[0] = wire::kV2Indicator;
  front[1] = wire::kV2Uncompressed;
}

bool unescape(packet::Packet& packet) {
  if (packet.bytes()[0] != wire::kV2Indicator) return true;
  if (packet.size() < 2 || packet.bytes()[1] != wire::kV2Uncompressed) return false;
  packet.pop_front(2);
  return true;
}

}  // namespace

void frame(Framing framing, packet::Packet& packet) {
  switch (framing) {
    case Framing::kNone:
      return;
    case Framing::kLzoNo:
      packet.push_front(1)[0] = wire::kNotCompressed;
      return;
    case Framing::kStub:
      return swap_in(packet);
    case Framing::kStubV2:
      return escape(packet);
  }
}

bool unframe(Framing framing, packet::Packet& packet) {
  if (framing == Framing::kNone) return true;
  if (packet.size() == 0) return false;
  switch (framing) {
    case Framing::kNone:
      return true;
    case Framing::kLzoNo:
      if (packet.bytes()[0] != wire::kNotCompressed) return false;
      packet.pop_front(1);
      return true;
    case Framing::kStub:
      return swap_out(packet);
    case Framing::kStubV2:
      return unescape(packet);
  }
  return false;
}

}  // namespace data
