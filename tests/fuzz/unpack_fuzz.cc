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

// Whether a room of exactly what comes out is enough. For LZ4 it is, but for blocks that no packer
// makes: the last bytes of one must be literals, which the library only insists on near the end of
// the room.
enum class ExactRoom { kEnough, kMayBeRefused };

// Nothing comes out but what comes out into a large room; one byte less is not enough. LZ4 has a
// rule of its own for a room of nothing.
template <class Unpack>
void check(Unpack unpack, base::ByteSpan block, ExactRoom rule) {
  base::Bytes out(kPayloadMax);
  const auto size = unpack(block, out);
  if (!size) return;
  FUZZ_CHECK(*size <= kPayloadMax);
  if (*size == 0) return;
  base::Bytes exact(*size);
  const auto again = unpack(block, exact);
  FUZZ_CHECK(again == size || (!again && rule == ExactRoom::kMayBeRefused));
  if (again) FUZZ_CHECK(std::equal(exact.begin(), exact.end(), out.begin()));
  base::Bytes small(*size - 1);
  FUZZ_CHECK(!unpack(block, small));
}

}  // namespace

// Input: framing, then the payload.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2 || size > kPayloadMax) return 0;
  const base::ByteSpan payload(bytes + 1, size - 1);
  check(data::unpack_lzo1x, payload, ExactRoom::kEnough);
  check(data::unpack_lz4, payload, ExactRoom::kMayBeRefused);

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
