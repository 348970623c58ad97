// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "fastpath/packet/segment_layout.h"

namespace packet {

// Puts neighbouring packets of one TCP or UDP flow together, so that the kernel takes them up as
// one large packet instead of walking its whole stack for each. Only what the kernel tells apart
// again without loss is joined: the same IP fields, ids that count up where they mean anything
// (IPv4 that may be fragmented), payloads of one size, and a checksum that is right (a joined
// packet gets a fresh one, which would hide damage); of TCP, sequence numbers without a gap, the
// same acknowledgement, window and options, no flags but ACK and PSH. UDP without a checksum stays
// alone.
class SegmentMerger {
 public:
  // `udp`: whether this kernel takes UDP so (Linux 6.2).
  explicit SegmentMerger(bool udp) : udp_(udp) {}

  // Begins a run with this packet. False: nothing can ever join it.
  bool begin(base::MutableByteSpan first);
  // Adds the next packet if it fits; only its payload() will be needed.
  bool join(base::ByteSpan next);

  std::size_t count() const { return count_; }
  std::size_t payload_per_packet() const { return per_packet_; }
  const SegmentLayout& layout() const { return layout_; }
  base::ByteSpan payload(base::ByteSpan packet) const {
    return packet.subspan(layout_.header_bytes());
  }
  // Turns the first packet's headers into those of the whole run: lengths, PSH, and the transport's
  // checksum left as the pseudo header's sum, for the kernel to complete.
  void finish();

 private:
  bool continues_flow(base::ByteSpan next) const;
  bool continues_tcp(base::ByteSpan next) const;
  bool id_counts_up(base::ByteSpan next) const;

  const bool udp_;
  SegmentLayout layout_;
  base::MutableByteSpan first_;
  bool first_right_ =
      false;  // its checksum was looked at, which a packet that stays alone is spared
  std::size_t per_packet_ = 0;
  std::size_t bytes_ = 0;  // of the joined packet
  bool closed_ = false;    // PSH or a shorter payload: the run's last packet
  bool push_ = false;
  std::size_t count_ = 0;
};

}  // namespace packet
