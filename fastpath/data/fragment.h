// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: fragment. A framed payload that is too large travels in pieces of one size,
// each with a header of four bytes and a packet id of its own.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "fastpath/packet/packet_batch.h"
#include "fastpath/wire/fragment_header.h"

namespace data {

// How a payload is cut: all pieces are `size` bytes but the last, which is what is left.
struct FragmentCut {
  std::size_t size = 0;   // a multiple of kFragmentUnit, but for a payload that stays whole
  std::size_t count = 1;  // 1: whole
};
// Nothing: more than kFragmentsMax pieces. `piece_max`: at least kFragmentUnit.
std::optional<FragmentCut> cut_payload(std::size_t payload_bytes, std::size_t piece_max);

// Cuts payloads up. Used by one worker.
class FragmentSender {
 public:
  explicit FragmentSender(std::uint8_t last_sequence) : sequence_(last_sequence) {}

  // Puts the header of a whole payload in front of it; kFragmentHeaderBytes of headroom.
  static void mark_whole(packet::Packet& packet);

  // The pieces of `payload`, with their headers: begin(), then next() while more(). The payload is
  // viewed until the last is out.
  void begin(base::ByteSpan payload, const FragmentCut& cut);
  bool more() const { return !payload_.empty(); }
  void next(packet::Packet& piece);  // empty, with room for the piece and its header

 private:
  std::uint8_t sequence_;
  base::ByteSpan payload_;
  FragmentCut cut_;
  std::uint8_t index_ = 0;
};

// Puts payloads together again, kSequences at a time; what is not whole by then, or 10 seconds
// after its last piece, is given up. All memory is taken at construction. Used by one worker.
class FragmentAssembler {
 public:
  static constexpr std::size_t kSequences = 25;  // as OpenVPN keeps
  static constexpr base::Duration kPatience = std::chrono::seconds(10);

  explicit FragmentAssembler(std::size_t payload_max);

  enum class Outcome {
    kWhole,  // `packet` is a framed payload
    kKept,   // a piece, and more are to come
    kBad,    // nothing was kept
  };
  // `packet`: from the fragment header on. The last piece to come is replaced by the whole.
  Outcome take(base::TimePoint now, packet::Packet& packet);

  // Payloads given up since the last call.
  std::size_t take_incomplete();

 private:
  struct Assembly {
    bool used = false;
    std::uint8_t sequence = 0;
    std::uint32_t seen = 0;   // a bit per piece
    std::size_t size = 0;     // of each piece but the last
    std::size_t total = 0;    // 0: the last piece has not come
    std::uint8_t pieces = 0;  // known with the last
    base::TimePoint touched;
    base::Bytes bytes;
  };

  void move_to(std::uint8_t sequence);
  void expire(base::TimePoint now);
  void give_up(Assembly& assembly);
  Assembly& assembly_of(std::uint8_t sequence);
  bool keep(Assembly& assembly, const wire::FragmentHeader& header, std::size_t size,
            base::ByteSpan piece);

  const std::size_t payload_max_;
  std::array<Assembly, kSequences> assemblies_;
  std::uint8_t newest_ = 0;
  std::size_t incomplete_ = 0;
};

}  // namespace data
