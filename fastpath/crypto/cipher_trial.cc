// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/cipher_trial.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace crypto {
namespace {

constexpr std::size_t kKeyBytes = 64;
constexpr std::size_t kAssociatedBytes = 8;
constexpr std::size_t kCbcBlock = 16;

// Around every block size that there is, small packets, full ones; more of them than lanes.
constexpr std::array<std::size_t, 20> kLengths{
    1, 15, 16, 17, 31, 48, 63, 64, 65, 84, 111, 112, 127, 128, 129, 576, 1023, 1400, 1452, 1500};

struct Suite {
  const char *cipher, *auth;
};
constexpr std::array<Suite, 18> kSuites{{
    {"AES-128-GCM", ""},
    {"AES-192-GCM", ""},
    {"AES-256-GCM", ""},
    {"AES-128-CBC", "none"},
    {"AES-192-CBC", "none"},
    {"AES-256-CBC", "none"},
    {"AES-128-CBC", "SHA1"},
    {"AES-192-CBC", "SHA1"},
    {"AES-256-CBC", "SHA1"},
    {"AES-128-CBC", "SHA256"},
    {"AES-192-CBC", "SHA256"},
    {"AES-256-CBC", "SHA256"},
    {"AES-128-CBC", "SHA512"},
    {"AES-192-CBC", "SHA512"},
    {"AES-256-CBC", "SHA512"},
    {"none", "SHA1"},
    {"none", "SHA256"},
    {"none", "SHA512"},
}};

base::Bytes pattern(std::size_t size, std::size_t seed) {
  base::Bytes bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 167 + seed * 59);
  return bytes;
}

// Packets as a cipher wants them: tag, IV and text behind each other, as on the wire.
class Samples {
 public:
  template <typename Lengths>
  Samples(const PacketCipher& cipher, const Lengths& lengths)
      : associated_(pattern(kAssociatedBytes, 7)) {
    const bool cbc = cipher.nonce_bytes() == kCbcBlock;
    slots_.reserve(lengths.size());
    for (const std::size_t length : lengths) {
      const std::size_t text = cbc ? (length + kCbcBlock) / kCbcBlock * kCbcBlock : length;
      slots_.push_back(pattern(cipher.tag_bytes() + cipher.nonce_bytes() + text, slots_.size()));
      const base::MutableByteSpan slot(slots_.back());
      PacketJob& job = jobs_.emplace_back();
      job.tag = slot.first(cipher.tag_bytes());
      job.nonce = slot.subspan(cipher.tag_bytes(), cipher.nonce_bytes());
      job.text = slot.subspan(cipher.tag_bytes() + cipher.nonce_bytes());
      if (!cbc && cipher.nonce_bytes() != 0) job.associated = associated_;
    }
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  std::span<PacketJob> jobs() { return jobs_; }
  const std::vector<base::Bytes>& slots() const { return slots_; }
  bool all(bool ok) const {
    return std::ranges::all_of(jobs_, [ok](const PacketJob& job) { return job.ok == ok; });
  }

 private:
  base::Bytes associated_;
  std::vector<base::Bytes> slots_;
  std::vector<PacketJob> jobs_;
};

// Both ways of one cipher by one implementation.
struct Pair {
  PacketCipherHandle seal, open;
};

bool agree(const Pair& trusted, const Pair& tested) {
  const PacketCipher& shape = *trusted.seal;
  if (tested.seal->nonce_bytes() != shape.nonce_bytes() ||
      tested.seal->tag_bytes() != shape.tag_bytes()) {
    return false;
  }
  Samples here(shape, kLengths), there(shape, kLengths);
  trusted.seal->run(here.jobs());
  tested.seal->run(there.jobs());
  if (!here.all(true) || !there.all(true) || here.slots() != there.slots()) return false;
  // One bit of one packet is wrong: its verdict, and no other's.
  PacketJob& damaged = there.jobs()[kLengths.size() / 2];
  const bool provable = !damaged.tag.empty();
  if (provable) damaged.tag[0] ^= 1;
  tested.open->run(there.jobs());
  if (provable && std::exchange(damaged.ok, true)) return false;
  if (provable) damaged.tag[0] ^= 1;
  trusted.open->run(here.jobs());
  const auto text_of = [](const PacketJob& job) {
    return base::Bytes(job.text.begin(), job.text.end());
  };
  if (!here.all(true) || !there.all(true)) return false;
  for (std::size_t i = 0; i < kLengths.size(); ++i) {
    const bool unspecified = provable && &there.jobs()[i] == &damaged;
    if (!unspecified && text_of(here.jobs()[i]) != text_of(there.jobs()[i])) return false;
  }
  return true;
}

constexpr std::size_t kBatchMax = 32;
constexpr std::size_t kTextBytes = 1400;
constexpr int kTries = 5;

// To seal and open `count` packets; the best of some tries, for others use the processor, too.
base::Duration cost(const Pair& pair, Samples& samples, std::size_t count,
                    const std::function<base::TimePoint()>& clock) {
  base::Duration best = base::Duration::max();
  for (int i = 0; i < kTries; ++i) {
    const base::TimePoint start = clock();
    pair.seal->run(samples.jobs().first(count));
    pair.open->run(samples.jobs().first(count));
    best = std::min(best, base::Duration(clock() - start));
  }
  return best;
}

std::size_t worth_from(const Pair& evp, const Pair& tested,
                       const std::function<base::TimePoint()>& clock) {
  const std::array<std::size_t, kBatchMax> lengths = [] {
    std::array<std::size_t, kBatchMax> all{};
    all.fill(kTextBytes);
    return all;
  }();
  Samples samples(*evp.seal, lengths);
  constexpr std::size_t kSome = 4;
  const base::Duration one = cost(evp, samples, kSome, clock) / kSome;
  std::size_t from = CipherChoice::kNever;
  for (std::size_t count = kBatchMax; count != 0; count /= 2) {
    // A twentieth less, or it is not worth having two.
    if (cost(tested, samples, count, clock) * 20 >= one * static_cast<int>(count) * 19) break;
    from = count;
  }
  return from;
}

class Trial {
 public:
  Trial(Library& library, MultiBuffer& tested) : library_(library), tested_(tested) {}

  Pair evp(const std::string& cipher, const std::string& auth) {
    return {make_evp_cipher(library_, cipher, auth, keys_, Way::kSeal),
            make_evp_cipher(library_, cipher, auth, keys_, Way::kOpen)};
  }
  Pair tested(const std::string& cipher, const std::string& auth) {
    return {tested_.make(cipher, auth, keys_, Way::kSeal),
            tested_.make(cipher, auth, keys_, Way::kOpen)};
  }

 private:
  Library& library_;
  MultiBuffer& tested_;
  const base::Bytes cipher_key_ = pattern(kKeyBytes, 1), hmac_key_ = pattern(kKeyBytes, 2);
  const PacketKeys keys_{cipher_key_, hmac_key_};
};

}  // namespace

std::string find_disagreement(Library& library, MultiBuffer& tested) {
  Trial trial(library, tested);
  for (const Suite& suite : kSuites) {
    const Pair many = trial.tested(suite.cipher, suite.auth);
    if (!many.seal || !many.open) continue;
    if (!agree(trial.evp(suite.cipher, suite.auth), many)) {
      const std::string auth = suite.auth;
      return suite.cipher + (auth.empty() ? auth : " with " + auth);
    }
  }
  return {};
}

CipherChoice measure(Library& library, MultiBuffer& tested,
                     const std::function<base::TimePoint()>& clock) {
  Trial trial(library, tested);
  CipherChoice choice;
  for (std::size_t i = 0; i < CipherChoice::kFamilies.size(); ++i) {
    const std::string cipher(CipherChoice::kFamilies[i].cipher);
    const std::string auth(CipherChoice::kFamilies[i].auth);
    const Pair many = trial.tested(cipher, auth);
    if (many.seal && many.open) choice.use(i, worth_from(trial.evp(cipher, auth), many, clock));
  }
  return choice;
}

}  // namespace crypto
