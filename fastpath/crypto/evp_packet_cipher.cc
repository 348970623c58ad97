// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "fastpath/crypto/aead_cipher.h"
#include "fastpath/crypto/cbc_cipher.h"
#include "fastpath/crypto/hmac_digest.h"
#include "fastpath/crypto/packet_cipher.h"

namespace crypto {
namespace {

class EvpAead final : public PacketCipher {
 public:
  EvpAead(Library& library, const std::string& cipher, base::ByteSpan key, Way way)
      : cipher_(library, cipher, key,
                way == Way::kSeal ? AeadCipher::Way::kSeal : AeadCipher::Way::kOpen),
        way_(way) {}

  void run(std::span<PacketJob> jobs) override {
    for (PacketJob& job : jobs) {
      job.ok = way_ == Way::kSeal ? cipher_.seal(job.nonce, job.associated, job.text, job.tag)
                                  : cipher_.open(job.nonce, job.associated, job.text, job.tag);
    }
  }
  std::size_t nonce_bytes() const override { return AeadCipher::kNonceBytes; }
  std::size_t tag_bytes() const override { return AeadCipher::kTagBytes; }

 private:
  AeadCipher cipher_;
  const Way way_;
};

// CBC, then HMAC over IV and ciphertext; either may be missing.
class EvpEncryptThenMac final : public PacketCipher {
 public:
  EvpEncryptThenMac(Library& library, const std::string& cipher, const std::string& auth,
                    const PacketKeys& keys, Way way)
      : way_(way) {
    if (cipher != "none") {
      cipher_.emplace(library, cipher, keys.cipher,
                      way == Way::kSeal ? CbcCipher::Way::kEncrypt : CbcCipher::Way::kDecrypt);
    }
    if (auth != "none") hmac_.emplace(library, auth, keys.hmac);
  }

  void run(std::span<PacketJob> jobs) override {
    for (PacketJob& job : jobs) job.ok = way_ == Way::kSeal ? seal(job) : open(job);
  }
  std::size_t nonce_bytes() const override { return cipher_ ? cipher_->block_bytes() : 0; }
  std::size_t tag_bytes() const override { return hmac_ ? hmac_->size() : 0; }

 private:
  bool seal(PacketJob& job) {
    if (cipher_ && !cipher_->run(job.nonce, job.text)) return false;
    return !hmac_ || hmac_->compute(signed_part(job), job.tag);
  }
  bool open(PacketJob& job) {
    if (hmac_ && !hmac_->verify(signed_part(job), job.tag)) return false;
    return !cipher_ ||
           (job.text.size() % cipher_->block_bytes() == 0 && cipher_->run(job.nonce, job.text));
  }
  static base::ByteSpan signed_part(const PacketJob& job) {
    return {job.text.data() - job.nonce.size(), job.nonce.size() + job.text.size()};
  }

  std::optional<CbcCipher> cipher_;
  std::optional<HmacDigest> hmac_;
  const Way way_;
};

}  // namespace

PacketCipherHandle make_evp_cipher(Library& library, const std::string& cipher,
                                   const std::string& auth, const PacketKeys& keys, Way way) {
  if (auth.empty()) {
    return std::make_unique<EvpAead>(library, cipher, keys.cipher, way);
  }
  return std::make_unique<EvpEncryptThenMac>(library, cipher, auth, keys, way);
}

}  // namespace crypto
