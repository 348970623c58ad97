// SPDX-License-Identifier: Apache-2.0
// libipsec-mb. Facts: intel-ipsec-mb.h of version 1.3.
#include <intel-ipsec-mb.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fastpath/crypto/aead_cipher.h"
#include "fastpath/crypto/hmac_digest.h"
#include "fastpath/crypto/multi_buffer.h"

namespace crypto {
namespace {

struct ManagerRelease {
  void operator()(IMB_MGR* manager) const { free_mb_mgr(manager); }
};
using Manager = std::unique_ptr<IMB_MGR, ManagerRelease>;

constexpr std::size_t kBlockBytes = 16;

// "AES-256-GCM", "AES-256-CBC" -> 32; 0: another cipher.
std::size_t aes_key_bytes(const std::string& cipher, const std::string& mode) {
  for (const std::size_t bytes : {16, 24, 32}) {
    if (cipher == "AES-" + std::to_string(bytes * 8) + "-" + mode) return bytes;
  }
  return 0;
}

// One packet at a time, but with the processor's widest instructions.
class IpsecGcm final : public PacketCipher {
 public:
  IpsecGcm(IMB_MGR& manager, base::ByteSpan key, Way way) : way_(way) {
    const bool seal = way == Way::kSeal;
    switch (key.size()) {
      case 16:
        IMB_AES128_GCM_PRE(&manager, key.data(), &key_);
        function_ = seal ? manager.gcm128_enc : manager.gcm128_dec;
        break;
      case 24:
        IMB_AES192_GCM_PRE(&manager, key.data(), &key_);
        function_ = seal ? manager.gcm192_enc : manager.gcm192_dec;
        break;
      default:
        IMB_AES256_GCM_PRE(&manager, key.data(), &key_);
        function_ = seal ? manager.gcm256_enc : manager.gcm256_dec;
    }
  }
  ~IpsecGcm() override {
    ::explicit_bzero(&key_, sizeof key_);
    ::explicit_bzero(&state_, sizeof state_);
  }

  void run(std::span<PacketJob> jobs) override {
    for (PacketJob& job : jobs) job.ok = way_ == Way::kSeal ? seal(job) : open(job);
  }
  std::size_t nonce_bytes() const override { return AeadCipher::kNonceBytes; }
  std::size_t tag_bytes() const override { return AeadCipher::kTagBytes; }

 private:
  static bool sizes_are_right(const PacketJob& job) {
    return job.nonce.size() == AeadCipher::kNonceBytes && job.tag.size() == AeadCipher::kTagBytes;
  }
  void pass(PacketJob& job, std::uint8_t* tag) {
    function_(&key_, &state_, job.text.data(), job.text.data(), job.text.size(), job.nonce.data(),
              job.associated.data(), job.associated.size(), tag, AeadCipher::kTagBytes);
  }
  bool seal(PacketJob& job) {
    if (!sizes_are_right(job)) return false;
    pass(job, job.tag.data());
    return true;
  }
  bool open(PacketJob& job) {
    if (!sizes_are_right(job)) return false;
    std::array<std::uint8_t, AeadCipher::kTagBytes> tag;
    pass(job, tag.data());
    return equal_in_constant_time(tag, job.tag);
  }

  const Way way_;
  aes_gcm_enc_dec_t function_ = nullptr;
  // The header aligns them only for those who define LINUX.
  alignas(64) gcm_key_data key_{};
  alignas(64) gcm_context_data state_{};
};

struct Digest {
  const char* name;
  IMB_HASH_ALG algorithm;
  std::size_t bytes, block_bytes;
};
constexpr std::array kDigests{Digest{"SHA1", IMB_AUTH_HMAC_SHA_1, 20, 64},
                              Digest{"SHA256", IMB_AUTH_HMAC_SHA_256, 32, 64},
                              Digest{"SHA512", IMB_AUTH_HMAC_SHA_512, 64, 128}};

const Digest* find_digest(const std::string& name) {
  const auto found = std::ranges::find(kDigests, name, &Digest::name);
  return found == kDigests.end() ? nullptr : &*found;
}

// CBC, then HMAC over IV and ciphertext; either may be missing. Each job goes into a lane of its
// own; what is in the lanes when no job is left to submit is flushed, so nothing waits for more.
class IpsecEncryptThenMac final : public PacketCipher {
 public:
  IpsecEncryptThenMac(IMB_MGR& manager, base::ByteSpan cipher_key, const Digest* digest,
                      base::ByteSpan hmac_key, Way way)
      : manager_(manager), digest_(digest), way_(way), encrypted_(!cipher_key.empty()) {
    if (encrypted_) expand(cipher_key);
    if (digest_ != nullptr) {
      start_hmac(hmac_key, 0x36, inner_);
      start_hmac(hmac_key, 0x5c, outer_);
    }
    template_.cipher_mode = encrypted_ ? IMB_CIPHER_CBC : IMB_CIPHER_NULL;
    template_.cipher_direction = way == Way::kSeal ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    template_.hash_alg = digest_ != nullptr ? digest_->algorithm : IMB_AUTH_NULL;
    template_.chain_order = way == Way::kSeal ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    template_.enc_keys = encrypt_key_.data();
    template_.dec_keys = decrypt_key_.data();
    template_.key_len_in_bytes = cipher_key.size();
    template_.iv_len_in_bytes = nonce_bytes();
    template_.cipher_start_src_offset_in_bytes = nonce_bytes();
    template_.auth_tag_output_len_in_bytes = tag_bytes();
    template_.u.HMAC._hashed_auth_key_xor_ipad = inner_.data();
    template_.u.HMAC._hashed_auth_key_xor_opad = outer_.data();
  }
  ~IpsecEncryptThenMac() override {
    ::explicit_bzero(encrypt_key_.data(), encrypt_key_.size());
    ::explicit_bzero(decrypt_key_.data(), decrypt_key_.size());
    ::explicit_bzero(inner_.data(), inner_.size());
    ::explicit_bzero(outer_.data(), outer_.size());
  }

  void run(std::span<PacketJob> jobs) override {
    for (; jobs.size() > kAtOnce; jobs = jobs.subspan(kAtOnce)) run_some(jobs.first(kAtOnce));
    run_some(jobs);
  }
  std::size_t nonce_bytes() const override { return encrypted_ ? kBlockBytes : 0; }
  std::size_t tag_bytes() const override { return digest_ != nullptr ? digest_->bytes : 0; }

 private:
  static constexpr std::size_t kAtOnce = 64;
  static constexpr std::size_t kRounds = 15;
  using ExpandedKey = std::array<std::uint8_t, kRounds * kBlockBytes>;
  using HashState = std::array<std::uint8_t, 64>;

  void expand(base::ByteSpan key) {
    switch (key.size()) {
      case 16:
        return IMB_AES_KEYEXP_128(&manager_, key.data(), encrypt_key_.data(), decrypt_key_.data());
      case 24:
        return IMB_AES_KEYEXP_192(&manager_, key.data(), encrypt_key_.data(), decrypt_key_.data());
      default:
        return IMB_AES_KEYEXP_256(&manager_, key.data(), encrypt_key_.data(), decrypt_key_.data());
    }
  }

  // RFC 2104: the key, filled up to a block, with every byte changed; the state after that block.
  void start_hmac(base::ByteSpan key, std::uint8_t change, HashState& state) {
    std::array<std::uint8_t, 128> block{};
    std::ranges::copy(key.first(digest_->bytes), block.begin());
    for (std::uint8_t& byte : block) byte ^= change;
    switch (digest_->algorithm) {
      case IMB_AUTH_HMAC_SHA_1:
        IMB_SHA1_ONE_BLOCK(&manager_, block.data(), state.data());
        break;
      case IMB_AUTH_HMAC_SHA_256:
        IMB_SHA256_ONE_BLOCK(&manager_, block.data(), state.data());
        break;
      default:
        IMB_SHA512_ONE_BLOCK(&manager_, block.data(), state.data());
    }
    ::explicit_bzero(block.data(), block.size());
  }

  void run_some(std::span<PacketJob> jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      jobs[i].ok = false;
      if (!sizes_are_right(jobs[i])) continue;
      fill(*IMB_GET_NEXT_JOB(&manager_), jobs[i], tags_[i]);
      for (IMB_JOB* done = IMB_SUBMIT_JOB(&manager_); done != nullptr;
           done = IMB_GET_COMPLETED_JOB(&manager_)) {
        finish(*done);
      }
    }
    while (IMB_JOB* const done = IMB_FLUSH_JOB(&manager_)) finish(*done);
  }

  bool sizes_are_right(const PacketJob& job) const {
    return job.nonce.size() == nonce_bytes() && job.tag.size() == tag_bytes() &&
           (!encrypted_ || job.text.size() % kBlockBytes == 0) && !job.text.empty();
  }

  void fill(IMB_JOB& to, PacketJob& job, HashState& tag) const {
    to = template_;
    to.src = job.text.data() - job.nonce.size();
    to.dst = job.text.data();
    to.iv = job.nonce.data();
    to.msg_len_to_cipher_in_bytes = encrypted_ ? job.text.size() : 0;
    to.msg_len_to_hash_in_bytes = job.nonce.size() + job.text.size();
    to.auth_tag_output = way_ == Way::kSeal ? job.tag.data() : tag.data();
    to.user_data = &job;
    to.user_data2 = &tag;
  }

  void finish(IMB_JOB& done) const {
    PacketJob& job = *static_cast<PacketJob*>(done.user_data);
    const auto& tag = *static_cast<const HashState*>(done.user_data2);
    job.ok = done.status == IMB_STATUS_COMPLETED &&
             (way_ == Way::kSeal ||
              equal_in_constant_time(base::ByteSpan(tag).first(job.tag.size()), job.tag));
  }

  IMB_MGR& manager_;
  const Digest* const digest_;  // nothing: auth none
  const Way way_;
  const bool encrypted_;
  alignas(16) ExpandedKey encrypt_key_{};
  alignas(16) ExpandedKey decrypt_key_{};
  alignas(16) HashState inner_{};
  alignas(16) HashState outer_{};
  IMB_JOB template_{};
  std::array<HashState, kAtOnce> tags_{};  // of the packets being opened
};

class IpsecMultiBuffer final : public MultiBuffer {
 public:
  explicit IpsecMultiBuffer(Manager manager) : manager_(std::move(manager)) {}

  PacketCipherHandle make(const std::string& cipher, const std::string& auth,
                          const PacketKeys& keys, Way way) override {
    if (const std::size_t bytes = aes_key_bytes(cipher, "GCM")) {
      return std::make_unique<IpsecGcm>(*manager_, keys.cipher.first(bytes), way);
    }
    const std::size_t bytes = aes_key_bytes(cipher, "CBC");
    const Digest* const digest = find_digest(auth);
    if ((bytes == 0 && cipher != "none") || (digest == nullptr && auth != "none")) return nullptr;
    if (bytes == 0 && digest == nullptr) return nullptr;
    return std::make_unique<IpsecEncryptThenMac>(*manager_, keys.cipher.first(bytes), digest,
                                                 keys.hmac, way);
  }

 private:
  const Manager manager_;
};

}  // namespace

std::unique_ptr<MultiBuffer> MultiBuffer::make() {
  Manager manager(alloc_mb_mgr(0));
  if (!manager) return nullptr;
  IMB_ARCH found = IMB_ARCH_NONE;
  init_mb_mgr_auto(manager.get(), &found);
  const bool has_aes = (manager->features & IMB_FEATURE_AESNI) != 0;
  if (found == IMB_ARCH_NONE || !has_aes) return nullptr;
  return std::make_unique<IpsecMultiBuffer>(std::move(manager));
}

std::string MultiBuffer::version() {
  const unsigned version = imb_get_version();
  return "ipsec-mb " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff) +
         "." + std::to_string(version & 0xff);
}

}  // namespace crypto
