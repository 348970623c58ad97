// SPDX-License-Identifier: Apache-2.0
// Any packets one after the other: what is joined can be cut again into the very same packets, and
// whatever a device claims of a large packet, its pieces hold its payload and nothing else.
#include <algorithm>
#include <utility>
#include <vector>

#include "fastpath/packet/checksum.h"
#include "fastpath/packet/segment_merge.h"
#include "fastpath/packet/segment_split.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using packet::SegmentLayout;

std::vector<base::Bytes> packets_of(base::ByteSpan stream) {
  std::vector<base::Bytes> packets;
  while (stream.size() >= 2) {
    const std::size_t length =
        std::min<std::size_t>(base::load_be16(stream.data()) % 2048, stream.size() - 2);
    packets.emplace_back(stream.begin() + 2, stream.begin() + 2 + static_cast<long>(length));
    stream = stream.subspan(2 + length);
  }
  return packets;
}

std::uint16_t transport_sum(const SegmentLayout& layout, base::ByteSpan p) {
  const base::ByteSpan transport = p.subspan(layout.ip_bytes);
  const auto length = static_cast<std::uint32_t>(transport.size());
  const auto pseudo = packet::pseudo_header_sum(p, layout.protocol, length);
  return packet::checksum_finish(packet::checksum_add(pseudo, transport));
}

// Right checksums are not come by in a hurry.
void repair(base::Bytes& p) {
  const auto layout = packet::segment_layout(p);
  if (!layout) return;
  packet::set_lengths(*layout, p, p.size());
  std::uint8_t* field = &p[layout->ip_bytes + layout->checksum_at()];
  base::store_be16(field, 0);
  const std::uint16_t sum = transport_sum(*layout, p);
  base::store_be16(field, layout->udp() ? packet::udp_checksum(sum) : sum);
}

// Zero and all ones are the same sum; an id that means nothing need not stay.
base::Bytes comparable(base::Bytes p) {
  const auto layout = packet::segment_layout(p);
  if (!layout) return p;
  std::uint8_t* field = &p[layout->ip_bytes + layout->checksum_at()];
  if (base::load_be16(field) == 0xffff) base::store_be16(field, 0);
  if (!layout->v4) return p;
  if ((base::load_be16(&p[packet::kIpv4FragmentAt]) & packet::kIpv4DontFragment) != 0) {
    base::store_be16(&p[packet::kIpv4IdAt], 0);
  }
  base::store_be16(&p[packet::kIpv4ChecksumAt], 0);
  return p;
}

void check_run(const std::vector<base::Bytes>& original, std::size_t begin,
               const packet::SegmentMerger& merger, base::Bytes first,
               const std::vector<base::Bytes>& packets) {
  base::Bytes whole = std::move(first);
  for (std::size_t i = 1; i < merger.count(); ++i) {
    const auto payload = merger.payload(packets[begin + i]);
    whole.insert(whole.end(), payload.begin(), payload.end());
  }
  packet::SegmentSplitter splitter;
  FUZZ_CHECK(splitter.begin(
      whole, {merger.layout().protocol, merger.layout().ip_bytes, merger.payload_per_packet()}));
  for (std::size_t i = 0; i < merger.count(); ++i) {
    FUZZ_CHECK(splitter.more());
    base::Bytes piece(splitter.next_size());
    splitter.next(piece);
    FUZZ_CHECK(comparable(piece) == comparable(original[begin + i]));
  }
  FUZZ_CHECK(!splitter.more());
}

void join_and_cut(std::vector<base::Bytes> packets) {
  const std::vector<base::Bytes> original = packets;
  packet::SegmentMerger merger(true);
  for (std::size_t begin = 0; begin < packets.size();) {
    std::size_t count = 1;
    if (merger.begin(packets[begin])) {
      while (begin + count < packets.size() && merger.join(packets[begin + count])) ++count;
      FUZZ_CHECK(merger.count() == count);
      merger.finish();
      if (count > 1) check_run(original, begin, merger, packets[begin], packets);
    }
    begin += count;
  }
}

void cut_as_claimed(const base::Bytes& whole, std::uint8_t claim) {
  const packet::SegmentSplitter::Cut cut{
      .protocol = (claim & 1) != 0 ? packet::kProtocolUdp : packet::kProtocolTcp,
      .transport_at = (claim & 2) != 0 ? 40U : 20U,
      .payload_per_piece = static_cast<std::size_t>(claim >> 2)};
  packet::SegmentSplitter splitter;
  if (!splitter.begin(whole, cut)) return;
  const auto layout = packet::segment_layout_with_options(whole);
  FUZZ_CHECK(layout.has_value());
  const std::size_t headers = layout->header_bytes();
  const std::size_t pieces = splitter.pieces_left();
  base::Bytes payload;
  std::size_t count = 0;
  for (; splitter.more(); ++count) {
    base::Bytes piece(splitter.next_size());
    FUZZ_CHECK(piece.size() <= headers + cut.payload_per_piece);
    FUZZ_CHECK(splitter.next(piece) == piece.size());
    payload.insert(payload.end(), piece.begin() + static_cast<long>(headers), piece.end());
  }
  FUZZ_CHECK(count == pieces);
  FUZZ_CHECK(std::ranges::equal(payload, base::ByteSpan(whole).subspan(headers)));
}

}  // namespace

// Input: whether checksums are made right, what a device claims, then packets, each behind two
// bytes of length.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 2) return 0;
  std::vector<base::Bytes> packets = packets_of({bytes + 2, size - 2});
  if ((bytes[0] & 1) != 0) std::ranges::for_each(packets, repair);
  for (const base::Bytes& each : packets) cut_as_claimed(each, bytes[1]);
  join_and_cut(std::move(packets));
  return 0;
}
