// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/epoch_key.h"

#include <algorithm>

namespace data {

EpochKey::EpochKey(crypto::Library& library, const std::string& cipher, crypto::AeadCipher::Way way,
                   const EpochSchedule& at, std::uint64_t usage_limit)
    : EpochKey(library, cipher, way, at.epoch(), at.material(crypto::aead_key_bytes(cipher)),
               usage_limit) {}

EpochKey::EpochKey(crypto::Library& library, const std::string& cipher, crypto::AeadCipher::Way way,
                   std::uint16_t epoch, const EpochSchedule::Material& material,
                   std::uint64_t usage_limit)
    : epoch_(epoch), cipher_(library, cipher, material.key.view(), way), usage_(usage_limit) {
  std::ranges::copy(material.iv.view(), iv_.begin());
}

EpochKey::Nonce EpochKey::nonce(std::uint64_t number) const {
  Nonce nonce = iv_;
  base::store_be64(nonce.data(), base::load_be64(iv_.data()) ^ number);
  return nonce;
}

bool EpochKey::seal(std::uint64_t number, base::ByteSpan associated, base::MutableByteSpan text,
                    base::MutableByteSpan tag) {
  return cipher_.seal(nonce(number), associated, text, tag);
}

bool EpochKey::open(std::uint64_t number, base::ByteSpan associated, base::MutableByteSpan text,
                    base::ByteSpan tag) {
  return cipher_.open(nonce(number), associated, text, tag);
}

}  // namespace data
