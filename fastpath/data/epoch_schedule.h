// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "base/secret_bytes.h"
#include "fastpath/crypto/library.h"
#include "fastpath/wire/data_header.h"

namespace data {

inline constexpr std::size_t kEpochSecretBytes = 32;

// OVPN-Expand-Label (OpenVPN protocol: epoch data format): HKDF-Expand with SHA-256 (RFC 5869) over
// a label, as TLS 1.3 does it with another prefix. `secret`: kEpochSecretBytes; at most 32 bytes
// come out. Throws base::FatalError if the library fails.
base::SecretBytes expand_label(crypto::Library& library, base::ByteSpan secret,
                               std::string_view label, std::size_t bytes);

// The keys of one direction, epoch after epoch: each secret yields one data key and the next
// secret, and none of the earlier ones. Used by one worker.
class EpochSchedule {
 public:
  // `first_secret`: kEpochSecretBytes, of epoch `first`, which is 1 on the wire.
  EpochSchedule(crypto::Library& library, base::ByteSpan first_secret, std::uint16_t first = 1);

  std::uint16_t epoch() const { return epoch_; }
  void advance();  // not behind the last epoch

  struct Material {
    base::SecretBytes key, iv;
  };
  Material material(std::size_t key_bytes) const;  // of this epoch

 private:
  crypto::Library& library_;
  base::SecretBytes secret_;
  std::uint16_t epoch_;
};

}  // namespace data
