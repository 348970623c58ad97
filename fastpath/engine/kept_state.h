// SPDX-License-Identifier: Apache-2.0
// What one run of the engine leaves to the next, as bytes in memory that outlives it. Pure.
//
//   at  bytes
//    0      8  "TUNCTLkp"
//    8      4  version of this layout
//   12      4  size of the whole
//   16      8  word: the packet time in use
//   24      8  word: the newest packet id received (time << 32 | id)
//   32      8  word: up to where earlier ones are refused, likewise (peer::Carried)
//   40     24  zero
//   64         slot, and behind it another one
//
//   slot: 8 number | 4 bytes of payload | 32 SHA-256 of the two and the payload | payload
//
// All numbers are in network byte order. A state is written into the slot with the lower number or
// without a right sum, under the next number; so whenever the writer is killed, the other slot, or
// this one, is whole. A word is one aligned store. What is read is believed only as far as it can
// be checked: it may be torn, of another program, or of another version.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/ip.h"
#include "base/wipe.h"

namespace engine {

using ConfigHash = std::array<std::uint8_t, 32>;

struct KeptDevice {
  std::string name;
  bool existed = false;  // see io::TunPort
  bool routes_up = false;
  std::optional<base::IpAddress> remote;  // that routes must not swallow
  std::string standing;                   // hostnet::format_journal() of HostNetwork::standing()

  friend bool operator==(const KeptDevice&, const KeptDevice&) = default;
};

struct KeptState {
  ConfigHash config{};  // of the config and its keys; see Loaded
  // When runs took over from another in which the peer was not heard yet: seconds since boot.
  std::vector<std::uint64_t> unheard;
  std::optional<KeptDevice> device;
  std::string remote_host, remote_port;  // the line in use; empty: the peer is waited for
  std::vector<base::Endpoint> targets;   // what it resolved to
  std::optional<base::Endpoint> peer;    // where packets go
  // TLS mode, a client: what the server pushed, and what it gave in place of the password.
  std::vector<std::string> pushed;
  std::string token_user, token;

  KeptState() = default;
  KeptState(const KeptState&) = default;
  KeptState& operator=(const KeptState&) = default;
  ~KeptState() { base::wipe(token); }

  friend bool operator==(const KeptState&, const KeptState&) = default;
};

inline constexpr std::uint32_t kKeptVersion = 1;
inline constexpr std::size_t kKeptHeadBytes = 64;
inline constexpr std::size_t kKeptSlotBytes = 256 * 1024;
inline constexpr std::size_t kKeptBytes = kKeptHeadBytes + 2 * kKeptSlotBytes;
inline constexpr std::size_t kPacketTimeAt = 16, kReceivedAt = 24, kBarredAt = 32;
static_assert(kPacketTimeAt % sizeof(std::uint64_t) == 0);

// Of memory that holds zeros: `memory` is kKeptBytes long, here and below.
void write_kept_head(base::MutableByteSpan memory);

// Puts `state` beside what is there. False, and nothing has changed: it is too large.
[[nodiscard]] bool write_kept(base::MutableByteSpan memory, const KeptState& state);

struct Kept {
  KeptState state;
  std::uint64_t packet_time = 0, received = 0, barred = 0;
};
// The newest whole state, or what is wrong, in words for a log.
base::Result<Kept, std::string> read_kept(base::ByteSpan memory);

}  // namespace engine
