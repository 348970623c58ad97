// SPDX-License-Identifier: Apache-2.0
// Any bytes as a framed payload that may be compressed: nothing outside of the slot is touched, and
// what comes out is no larger than allowed.
#include <algorithm>

#include "fastpath/data/framing.h"
#include "fastpath/data/lz4_block.h"
#include "fastpath/data/lzo1x.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

constexpr std::size_t kPayloadMax = 2048;

// A room of exactly what came out is enough, one byte less is not. LZ4 has a rule of its own for a
// room of nothing.
template <class Unpack>
void check(Unpack unpack, base::ByteSpan block) {
  base::Bytes out(kPayloadMax);
  const auto size = unpack(block, out);
  if (!size) return;
  FUZZ_CHECK(*size <= kPayloadMax);
  if (*size == 0) return;
  base::Bytes exact(*size);
  FUZZ_CHECK(unpack(block, exact) == size);
  FUZZ_CHECK(std::equal(exact.begin(), exact.end(), out.begin()));
  base::Bytes small(*size - 1);
  FUZZ_CHECK(!unpack(block, small));
}

}  // namespace

// Input: framing, then the payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2 || size > kPayloadMax) return 0;
  const base::ByteSpan payload(bytes + 1, size - 1);
  check(data::unpack_lzo1x, payload);
  check(data::unpack_lz4, payload);

  packet::PacketBatch batch(kPayloadMax, 1);
  packet::Packet& packet = *batch.append();
  std::ranges::copy(payload, packet.fill_space().begin());
  packet.set_size(payload.size());
  const auto last = static_cast<unsigned>(data::Framing::kLz4V2);
  const auto framing = static_cast<data::Framing>(bytes[0] % (last + 1));
  data::Unframer unframer(kPayloadMax);
  const auto outcome = unframer.unframe(framing, packet);
  if (outcome == data::Unframer::Outcome::kPayload) FUZZ_CHECK(packet.size() <= kPayloadMax);
  return 0;
}
