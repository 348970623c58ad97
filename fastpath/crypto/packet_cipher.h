// SPDX-License-Identifier: Apache-2.0
// Everything that is done to the bytes of a data packet, many packets at a time: encrypting and
// authenticating under one key in one direction.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/bytes.h"
#include "fastpath/crypto/library.h"

namespace crypto {

// One packet of a batch: views of its slot, which belong to the caller.
struct PacketJob {
  // AEAD: a nonce of nonce_bytes(), anywhere. CBC: the IV, which stands directly in front of
  // `text`. cipher none: empty.
  base::ByteSpan nonce;
  base::ByteSpan associated;   // AEAD: what the tag covers besides the text. Else empty
  base::MutableByteSpan text;  // in place; CBC: whole blocks, padded by the caller
  // tag_bytes(), outside of all of the above. AEAD: the tag; else the HMAC of IV and ciphertext.
  // Written when sealing, compared in constant time when opening.
  base::MutableByteSpan tag;
  // The verdict. Sealing, false: the library failed, and nothing may be sent. Opening, false: not
  // authentic, and `text` is unspecified and must not be used.
  bool ok = false;
};

// What a cipher needs of a key block, viewed during construction only.
struct PacketKeys {
  base::ByteSpan cipher, hmac;
};

enum class Way { kSeal, kOpen };

// Allocates nothing per packet. Used by one worker at a time, made and destroyed by any.
class PacketCipher {
 public:
  virtual ~PacketCipher() = default;

  // Every job, each with its own verdict; when it returns all are done, one as well as many.
  virtual void run(std::span<PacketJob> jobs) = 0;

  virtual std::size_t nonce_bytes() const = 0;  // 0: cipher none
  virtual std::size_t tag_bytes() const = 0;    // 0: auth none
};
using PacketCipherHandle = std::unique_ptr<PacketCipher>;

// `cipher` as OpenVPN writes it, and `auth`: empty for an AEAD cipher; for CBC or cipher "none" a
// digest or "none". Done by whatever the library's CipherChoice says. Throws base::FatalError if a
// cipher or digest cannot be had, or the key is all zeros. `worker`: below library.workers(); who
// will use it.
PacketCipherHandle make_packet_cipher(Library& library, const std::string& cipher,
                                      const std::string& auth, const PacketKeys& keys, Way way,
                                      WorkerIndex worker = kLead);
// The same by OpenSSL's EVP interface, one packet after the other.
PacketCipherHandle make_evp_cipher(Library& library, const std::string& cipher,
                                   const std::string& auth, const PacketKeys& keys, Way way);

}  // namespace crypto
