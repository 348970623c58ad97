// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/packet_cipher.h"

#include <algorithm>
#include <utility>

#include "fastpath/crypto/multi_buffer.h"

namespace crypto {
namespace {

// Two that do the same, of which the second is faster once enough packets are in hand.
class CipherByBatchSize final : public PacketCipher {
 public:
  CipherByBatchSize(PacketCipherHandle few, PacketCipherHandle many, std::size_t many_from)
      : few_(std::move(few)), many_(std::move(many)), many_from_(many_from) {}

  void run(std::span<PacketJob> jobs) override {
    const bool enough = jobs.size() >= many_from_ && std::ranges::all_of(jobs, fits);
    (enough ? many_ : few_)->run(jobs);
  }
  std::size_t nonce_bytes() const override { return few_->nonce_bytes(); }
  std::size_t tag_bytes() const override { return few_->tag_bytes(); }

 private:
  // An empty text is left to EVP: the lanes refuse it.
  static bool fits(const PacketJob& job) {
    return !job.text.empty() && job.text.size() <= MultiBuffer::kTextBytesMax;
  }

  const PacketCipherHandle few_, many_;
  const std::size_t many_from_;
};

}  // namespace

PacketCipherHandle make_packet_cipher(Library& library, const std::string& cipher,
                                      const std::string& auth, const PacketKeys& keys, Way way,
                                      WorkerIndex worker) {
  PacketCipherHandle evp = make_evp_cipher(library, cipher, auth, keys, way);
  const std::size_t from = library.choice().from_packets(cipher, auth);
  if (from == CipherChoice::kNever) return evp;
  MultiBuffer* const lanes = library.multi_buffer(worker);
  if (lanes == nullptr) return evp;
  PacketCipherHandle many = lanes->make(cipher, auth, keys, way);
  if (!many) return evp;
  return std::make_unique<CipherByBatchSize>(std::move(evp), std::move(many), from);
}

}  // namespace crypto
