// SPDX-License-Identifier: Apache-2.0
// A library that works on several packets at once, lane beside lane: libipsec-mb, on x86-64 and
// where it was there at build time. multi_buffer_none.cc takes its place elsewhere.
#pragma once

#include <memory>
#include <string>

#include "fastpath/crypto/packet_cipher.h"

namespace crypto {

// Owns the lanes. Used by one thread, and outlives the ciphers it made.
class MultiBuffer {
 public:
  // Longer texts are for others: lanes count bytes in 16 bits.
  static constexpr std::size_t kTextBytesMax = 32768;

  // Nothing: there is no such library in this program, or the processor lacks what it needs.
  static std::unique_ptr<MultiBuffer> make();
  static std::string version();  // "ipsec-mb 1.3.0"; empty: none in this program

  virtual ~MultiBuffer() = default;
  // See make_packet_cipher(). Nothing: it does not do this cipher with this digest. The key was
  // looked at by another implementation before.
  virtual PacketCipherHandle make(const std::string& cipher, const std::string& auth,
                                  const PacketKeys& keys, Way way) = 0;
};

}  // namespace crypto
