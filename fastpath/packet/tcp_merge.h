// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "base/bytes.h"
#include "fastpath/packet/tcp_layout.h"

namespace packet {

// Puts neighbouring TCP packets of one flow together, so that the kernel takes them up as one large
// packet instead of walking its whole stack for each. Only what can be told apart again without
// loss is joined: sequence numbers without a gap, the same acknowledgement, window, options and IP
// fields, no flags but ACK and PSH, and a checksum that is right (a joined packet gets a fresh one,
// which would hide damage).
class TcpMerger {
 public:
  // Begins a run with this packet. False: nothing can ever join it.
  bool begin(base::MutableByteSpan first);
  // Adds the next packet if it fits; only its payload() will be needed.
  bool join(base::ByteSpan next);

  std::size_t count() const { return count_; }
  std::size_t payload_per_packet() const { return per_packet_; }
  const TcpLayout& layout() const { return layout_; }
  base::ByteSpan payload(base::ByteSpan packet) const {
    return packet.subspan(layout_.header_bytes());
  }
  // Turns the first packet's header into the header of the whole run: lengths, PSH, and the TCP
  // checksum left as the pseudo header's sum, for the kernel to complete.
  void finish();

 private:
  bool same_flow(base::ByteSpan next) const;

  TcpLayout layout_;
  base::MutableByteSpan first_;
  std::size_t per_packet_ = 0;
  std::size_t bytes_ = 0;  // of the joined packet
  std::uint32_t next_sequence_ = 0;
  bool closed_ = false;  // PSH or a shorter payload: the run's last packet
  bool push_ = false;
  std::size_t count_ = 0;
};

}  // namespace packet
