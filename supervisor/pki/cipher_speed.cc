// SPDX-License-Identifier: Apache-2.0
#include "supervisor/pki/cipher_speed.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <time.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "base/cpu_list.h"

namespace pki {
namespace {

constexpr std::size_t kRoom = 8192 + 64;  // a packet, its padding and its tag
constexpr int kTagBytes = 16;
constexpr int kHeadBytes = 8;  // what an AEAD authenticates beside the packet
constexpr int kBetweenLooks = 16;
constexpr double kNanosecondsPerSecond = 1e9;

struct Free {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
  void operator()(EVP_MAC* mac) const { EVP_MAC_free(mac); }
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
template <typename T>
using Owned = std::unique_ptr<T, Free>;

using Bytes = std::array<unsigned char, kRoom>;

// The work that a packet of one task makes. Keys are zeros: what they are makes no difference.
class Packets {
 public:
  explicit Packets(const SpeedTask& task) {
    cipher_.reset(EVP_CIPHER_fetch(nullptr, task.cipher.c_str(), nullptr));
    context_.reset(EVP_CIPHER_CTX_new());
    if (!cipher_ || !context_) return;
    aead_ = (EVP_CIPHER_get_flags(cipher_.get()) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0;
    const unsigned char key[EVP_MAX_KEY_LENGTH] = {};
    works_ = EVP_EncryptInit_ex2(context_.get(), cipher_.get(), key, key, nullptr) == 1;
    if (!task.auth.empty() && !aead_) works_ = works_ && prepare_mac(task.auth);
  }

  bool works() const { return works_; }

  void one(int size) {
    int written = 0, last = 0;
    EVP_EncryptInit_ex2(context_.get(), nullptr, nullptr, iv_.data(), nullptr);
    if (aead_) EVP_EncryptUpdate(context_.get(), nullptr, &written, in_.data(), kHeadBytes);
    EVP_EncryptUpdate(context_.get(), out_.data(), &written, in_.data(), size);
    EVP_EncryptFinal_ex(context_.get(), out_.data() + written, &last);
    if (aead_) EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag_.data());
    if (!mac_context_) return;
    std::size_t bytes = 0;
    EVP_MAC_init(mac_context_.get(), nullptr, 0, nullptr);
    EVP_MAC_update(mac_context_.get(), out_.data(), static_cast<std::size_t>(written + last));
    EVP_MAC_final(mac_context_.get(), tag_.data(), &bytes, tag_.size());
  }

 private:
  bool prepare_mac(const std::string& digest) {
    mac_.reset(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    if (mac_) mac_context_.reset(EVP_MAC_CTX_new(mac_.get()));
    if (!mac_context_) return false;
    std::string name = digest;
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name.data(), 0),
        OSSL_PARAM_construct_end()};
    const unsigned char key[EVP_MAX_MD_SIZE] = {};
    return EVP_MAC_init(mac_context_.get(), key, sizeof key, parameters) == 1;
  }

  Owned<EVP_CIPHER> cipher_;
  Owned<EVP_CIPHER_CTX> context_;
  Owned<EVP_MAC> mac_;
  Owned<EVP_MAC_CTX> mac_context_;
  bool aead_ = false;
  bool works_ = false;
  std::array<unsigned char, EVP_MAX_IV_LENGTH> iv_{};
  std::array<unsigned char, EVP_MAX_MD_SIZE> tag_{};
  Bytes in_{}, out_{};
};

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / kNanosecondsPerSecond;
}

// `limit`: of time that passes, for a CPU that others use gives little.
double bytes_per_second(Packets& packets, int size, base::Duration limit) {
  packets.one(size);  // tables and caches are warm afterwards
  const base::TimePoint end = base::monotonic_now() + limit;
  const double begin = thread_seconds();
  double bytes = 0;
  do {
    for (int i = 0; i < kBetweenLooks; ++i) packets.one(size);
    bytes += static_cast<double>(kBetweenLooks) * size;
  } while (base::monotonic_now() < end);
  return bytes / std::max(thread_seconds() - begin, 1 / kNanosecondsPerSecond);
}

void measure_on(int cpu, std::span<CipherSpeed> speeds, base::Duration each) {
  if (!base::set_affinity(0, {cpu}).empty()) return;
  for (CipherSpeed& speed : speeds) {
    Packets packets(speed.task);
    if (!packets.works()) continue;
    speed.bytes_per_second.emplace();
    for (std::size_t at = 0; at < kSpeedSizes.size(); ++at) {
      (*speed.bytes_per_second)[at] = bytes_per_second(packets, kSpeedSizes[at], each);
    }
  }
}

}  // namespace

std::vector<CipherSpeed> measure_ciphers(std::span<const SpeedTask> tasks,
                                         const std::vector<int>& cpus, base::Duration time) {
  std::vector<CipherSpeed> speeds;
  for (const int cpu : cpus) {
    for (const SpeedTask& task : tasks) speeds.push_back({task, cpu, std::nullopt});
  }
  if (speeds.empty()) return speeds;
  const base::Duration each = time / static_cast<int>(tasks.size() * kSpeedSizes.size());
  std::vector<std::jthread> threads;
  for (std::size_t at = 0; at < cpus.size(); ++at) {
    threads.emplace_back([&, at] {
      measure_on(cpus[at], std::span(speeds).subspan(at * tasks.size(), tasks.size()), each);
    });
  }
  threads.clear();  // joins them
  return speeds;
}

}  // namespace pki
