// SPDX-License-Identifier: Apache-2.0
// Any byte stream in any pieces: the packets that come out are those that a reader of the whole
// stream finds, and a length that cannot be ends it.
#include <algorithm>
#include <vector>

#include "fastpath/io/frame_buffer.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

constexpr std::size_t kPacketMax = 200;

std::vector<base::Bytes> packets_of(base::ByteSpan stream) {
  std::vector<base::Bytes> packets;
  while (stream.size() >= 2) {
    const std::size_t length = base::load_be16(stream.data());
    if (length == 0 || length > kPacketMax || stream.size() < 2 + length) break;
    packets.emplace_back(stream.begin() + 2, stream.begin() + 2 + static_cast<long>(length));
    stream = stream.subspan(2 + length);
  }
  return packets;
}

}  // namespace

// Input: the size of the pieces, then the stream.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = bytes[0] % 64 + 1;
  base::ByteSpan stream(bytes + 1, size - 1);
  const std::vector<base::Bytes> expected = packets_of(stream);
  std::vector<base::Bytes> got;
  io::FrameBuffer buffer;
  packet::PacketBatch batch(kPacketMax, 4);
  bool ended = false;
  while (!stream.empty() && !ended) {
    const base::ByteSpan piece = stream.first(std::min(step, stream.size()));
    std::ranges::copy(piece, buffer.space().begin());
    buffer.filled(piece.size());
    stream = stream.subspan(piece.size());
    auto cut = io::FrameBuffer::Cut::kBatchFull;
    while (cut == io::FrameBuffer::Cut::kBatchFull) {
      batch.clear();
      cut = buffer.cut(batch, {});
      for (const packet::Packet& packet : batch.packets()) {
        got.emplace_back(packet.bytes().begin(), packet.bytes().end());
      }
    }
    ended = cut == io::FrameBuffer::Cut::kBadLength;
  }
  FUZZ_CHECK(got == expected);
  return 0;
}
