// SPDX-License-Identifier: Apache-2.0
// The one line an engine gives systemd as STATUS=: read by people in `systemctl status` and by
// tunctl.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "ovpn/connection_state.h"

namespace ovpn {

// "CONNECTED peer 10.0.0.1:2011 since 1764500000 rx 12345 tx 6789 drops 2 auth-failed 0 heard 3
// crypto ipsec-mb-1.3.0 offload tso,uso,gso,gro", in one line.
// State first, then `key value` pairs in that order, then "drop.REASON count" for each reason that
// has dropped a packet (auth-failed has its own pair). A pair whose value is not known is left out;
// unknown keys are skipped by the reader, so an older tunctl can read a newer engine. A note is
// free text after " - " at the end.
struct StatusLine {
  ConnectionState state = ConnectionState::kInitial;
  std::string peer;                            // the peer's endpoint; empty: none known
  std::optional<base::UnixSeconds> since;      // when this state was entered
  std::optional<std::uint64_t> rx_bytes;       // of tunnel payload, out of the link
  std::optional<std::uint64_t> tx_bytes;       // of tunnel payload, into the link
  std::optional<std::uint64_t> drops;          // all counted drops but authentication failures
  std::optional<std::uint64_t> auth_failed;    // packets that failed authentication
  std::optional<std::uint32_t> heard_seconds;  // since the last authenticated packet; absent: never
  std::string crypto;                          // what does the cipher; empty: not known
  std::string offload;  // what the kernel does in trains, parted by commas; empty: nothing is known
  // Reasons other than auth-failed, as fastpath/packet/drop_reason.h spells them; none has count 0.
  std::vector<std::pair<std::string, std::uint64_t>> drop_reasons;
  std::string note;  // a warning worth a person's look; may be empty

  friend bool operator==(const StatusLine&, const StatusLine&) = default;
};

// How a note begins that says what the far end has otherwise than this one.
inline constexpr std::string_view kPeerDiffers = "the peer is set up differently: ";

// The same in TLS mode, where the ends agree on ciphers and most of the rest by themselves: packets
// get through, perhaps not all sizes.
inline constexpr std::string_view kOptionsDiffer = "the two ends' options differ: ";

// How a note begins that says which route of the tunnel is in force elsewhere.
inline constexpr std::string_view kRouteMissing = "not into this tunnel: ";

std::string format_status_line(const StatusLine& status);
std::optional<StatusLine> parse_status_line(std::string_view text);

}  // namespace ovpn
