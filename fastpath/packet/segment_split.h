// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "fastpath/packet/segment_layout.h"

namespace packet {

// Cuts one large TCP or UDP packet, as a device with segmentation offload hands it over, into
// packets that the tunnel carries, each with its own lengths, sequence number, IPv4 id and
// checksums. What a network card would do (RFC 9293, RFC 768; flags as Linux: FIN and PSH on the
// last, CWR on the first).
class SegmentSplitter {
 public:
  struct Cut {
    std::uint8_t protocol = 0;  // kProtocolTcp or kProtocolUdp
    // Where the device says that the transport's header begins (csum_start of its header; hdr_len
    // is only a hint there, and is not asked for).
    std::size_t transport_at = 0;
    std::size_t payload_per_piece = 0;
  };

  // `whole` is viewed until the last piece is out. Its checksum field holds the sum of the pseudo
  // header over the whole, as checksum offload leaves it: with a routing header, only the sender
  // knew that one's last address. False: no such packet, or not where the device says, or no
  // payload per piece; nothing can be cut then.
  [[nodiscard]] bool begin(base::ByteSpan whole, const Cut& cut);
  bool more() const { return offset_ < payload_.size(); }
  // Size of the next piece; next() needs room for it.
  std::size_t next_size() const;
  std::size_t pieces_left() const;
  std::size_t next(base::MutableByteSpan to);  // returns next_size()

 private:
  void number_tcp(base::MutableByteSpan tcp, std::size_t payload_bytes) const;
  void complete_checksum(base::MutableByteSpan transport) const;

  SegmentLayout layout_;
  base::ByteSpan header_;
  base::ByteSpan payload_;
  std::size_t per_piece_ = 0;
  std::size_t offset_ = 0;
  std::uint16_t index_ = 0;
};

}  // namespace packet
