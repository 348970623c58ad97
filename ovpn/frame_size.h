// SPDX-License-Identifier: Apache-2.0
// How many bytes a tunnel payload grows on the wire, and the TCP segment size and the size of a
// fragment that follow (OpenVPN protocol: MTU, mssfix, fragment). Arithmetic only.
#pragma once

#include <optional>
#include <string_view>

#include "base/ip.h"

namespace ovpn {

inline constexpr int kTunMtuDefault = 1500;
inline constexpr int kTunMtuMin = 100;
inline constexpr int kPacketIdBytes = 8;  // the long form: id and time
inline constexpr int kFragmentHeaderBytes = 4;

// All in bytes. Null mode is all zeros but for the framing.
struct FrameShape {
  int block_bytes = 0;    // of a CBC cipher, and so of its IV; 0: no encryption
  int digest_bytes = 0;   // of the HMAC; 0: none
  bool packet_id = true;  // false with no-replay and in null mode
  int framing_bytes = 0;  // 1 for `comp-lzo no` and `compress stub`, 0 for stub-v2 and none
  bool fragment = false;  // 4 more bytes
  bool tcp = false;       // the length in front of each packet
  // TLS mode.
  int opcode_bytes = 0;                  // 1, or 4 with a peer-id
  int tag_bytes = 0;                     // AEAD: 16; then block_bytes and digest_bytes are 0
  int packet_id_bytes = kPacketIdBytes;  // of the packet id, if there is one; 4, epoch format 8

  friend bool operator==(const FrameShape&, const FrameShape&) = default;
};

// Around the encrypted part: HMAC and IV; without CBC the packet id counts here too.
int header_bytes(const FrameShape& shape);
// Inside of it: framing, fragment header, and with CBC the packet id.
int payload_overhead_bytes(const FrameShape& shape);
// Exactly what a payload becomes: UDP payload or TCP segment of the outer packet.
int wire_bytes(const FrameShape& shape, int payload_bytes);
// The largest piece that `fragment N` makes of a framed payload. `outer`: set with `fragment N
// mtu`, where N counts the outer packet's IP and UDP headers too. At most 0: N is too small.
int fragment_bytes_max(const FrameShape& shape, int n, const base::IpFamily* outer = nullptr);
// `link-mtu` as it is told in the options string; it has no effect on operation.
int occ_link_mtu(const FrameShape& shape, int tun_mtu);

// `mssfix N [mtu|fixed]`.
struct MssfixRule {
  enum class Meaning {
    kPayload,  // N limits the outer UDP payload
    kMtu,      // N limits the outer IP packet
    kFixed,    // N limits the inner IP packet, whatever is added outside
  };
  int bytes = 1492;  // 0: off
  Meaning meaning = Meaning::kMtu;

  friend bool operator==(const MssfixRule&, const MssfixRule&) = default;
};
// Of the word behind N; nothing: there is no such word.
std::optional<MssfixRule::Meaning> mssfix_meaning(std::string_view word);
// Without `mssfix`, or without its number: 1492 mtu for the usual tun-mtu, else the tun-mtu itself.
MssfixRule default_mssfix(int tun_mtu);

// The largest MSS to leave in a TCP SYN of `inner` inside a tunnel whose outer packets are `outer`.
// 0: leave it alone.
int mssfix_mss(const FrameShape& shape, const MssfixRule& rule, base::IpFamily outer,
               base::IpFamily inner);

}  // namespace ovpn
