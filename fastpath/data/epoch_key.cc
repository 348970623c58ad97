// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/epoch_key.h"

#include <algorithm>

#include "fastpath/crypto/aead_cipher.h"

namespace data {

EpochKey::EpochKey(crypto::Library& library, const std::string& cipher, crypto::Way way,
                   const EpochSchedule& at, std::uint64_t usage_limit)
    : EpochKey(library, cipher, way, at.epoch(), at.material(crypto::aead_key_bytes(cipher)),
               usage_limit) {}

EpochKey::EpochKey(crypto::Library& library, const std::string& cipher, crypto::Way way,
                   std::uint16_t epoch, const EpochSchedule::Material& material,
                   std::uint64_t usage_limit)
    : epoch_(epoch), usage_(usage_limit) {
  for (crypto::WorkerIndex worker = 0; worker < library.workers(); ++worker) {
    ciphers_.push_back(
        crypto::make_packet_cipher(library, cipher, "", {material.key.view(), {}}, way, worker));
  }
  std::ranges::copy(material.iv.view(), iv_.begin());
}

EpochKey::Nonce EpochKey::nonce(std::uint64_t number) const {
  Nonce nonce = iv_;
  base::store_be64(nonce.data(), base::load_be64(iv_.data()) ^ number);
  return nonce;
}

bool EpochKey::run(crypto::WorkerIndex worker, std::uint64_t number, base::ByteSpan associated,
                   base::MutableByteSpan text, base::MutableByteSpan tag) const {
  const Nonce used = nonce(number);
  crypto::PacketJob job{used, associated, text, tag};
  ciphers_[worker]->run({&job, 1});
  return job.ok;
}

}  // namespace data
