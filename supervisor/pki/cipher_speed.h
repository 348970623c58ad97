// SPDX-License-Identifier: Apache-2.0
// How fast a CPU does ciphers, one packet at a time as stock OpenVPN does them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace pki {

inline constexpr std::array<int, 3> kSpeedSizes{64, 1400, 8192};  // bytes of a packet

struct SpeedTask {
  std::string cipher;  // of ovpn/cipher_name.h
  std::string auth;    // of the HMAC beside it; empty: an AEAD needs none

  friend bool operator==(const SpeedTask&, const SpeedTask&) = default;
};

struct CipherSpeed {
  SpeedTask task;
  int cpu = 0;
  // For each of kSpeedSizes. Nothing: the CPU may not be used, or OpenSSL has no such cipher.
  std::optional<std::array<double, kSpeedSizes.size()>> bytes_per_second;
};

// Every task on every one of `cpus`, all of these at once, in about `time` altogether. Counted is
// the time that a CPU gave to it, not what passed meanwhile.
std::vector<CipherSpeed> measure_ciphers(std::span<const SpeedTask> tasks,
                                         const std::vector<int>& cpus, base::Duration time);

}  // namespace pki
