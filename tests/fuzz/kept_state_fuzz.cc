// SPDX-License-Identifier: Apache-2.0
// Any bytes in the memory that one run leaves to the next: refused, or a state that is written and
// read again as the same. The input is laid over memory that holds a whole state, or its slots are
// given a right sum, so that the fields behind it are reached.
#include <algorithm>

#include "base/sha256.h"
#include "fastpath/engine/kept_state.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

constexpr std::size_t kSumAt = 12, kPayloadAt = 44;

engine::KeptState sample() {
  engine::KeptState state;
  state.targets = {{*base::IpAddress::parse("192.0.2.7"), 1194}};
  state.pushed = {"route 10.0.0.0 255.0.0.0"};
  return state;
}

// A first slot that holds `payload`, whole.
void put(base::MutableByteSpan memory, base::ByteSpan payload) {
  const base::MutableByteSpan slot = memory.subspan(engine::kKeptHeadBytes);
  base::store_be64(slot.data(), 7);
  base::store_be32(&slot[8], static_cast<std::uint32_t>(payload.size()));
  std::ranges::copy(payload, &slot[kPayloadAt]);
  base::Bytes summed(slot.begin(), slot.begin() + kSumAt);
  summed.insert(summed.end(), payload.begin(), payload.end());
  std::ranges::copy(base::sha256(summed), &slot[kSumAt]);
}

void check(base::ByteSpan memory) {
  const auto kept = engine::read_kept(memory);
  if (!kept) {
    FUZZ_CHECK(!kept.error().empty());
    return;
  }
  base::Bytes again(engine::kKeptBytes);
  engine::write_kept_head(again);
  FUZZ_CHECK(engine::write_kept(again, kept->state));
  const auto read = engine::read_kept(again);
  FUZZ_CHECK(read && read->state == kept->state);
}

}  // namespace

// Input: how it is used, then bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const base::ByteSpan rest(bytes + 1, std::min(size - 1, engine::kKeptSlotBytes - kPayloadAt));
  base::Bytes memory(engine::kKeptBytes);
  engine::write_kept_head(memory);
  switch (bytes[0] % 3) {
    case 0:  // the payload of a whole slot
      put(memory, rest);
      break;
    case 1:  // over a state that is there
      FUZZ_CHECK(engine::write_kept(memory, sample()));
      std::ranges::copy(rest, memory.begin());
      break;
    default:  // memory of that size
      check(rest);
      return 0;
  }
  check(memory);
  return 0;
}
