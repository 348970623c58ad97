// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/cipher_setup.h"

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "base/time.h"
#include "fastpath/crypto/aead_cipher.h"
#include "fastpath/crypto/cipher_trial.h"
#include "fastpath/crypto/library.h"

namespace engine {
namespace {

constexpr std::size_t kFileBytesMax = 4096;
constexpr std::size_t kCpuInfoBytesMax = 16 << 20;

std::string processor() {
  const auto text = base::read_file("/proc/cpuinfo", kCpuInfoBytesMax);
  constexpr std::string_view kKey = "model name";
  const auto at = text ? text->find(kKey) : std::string::npos;
  if (at == std::string::npos) return "unknown";
  const auto colon = text->find(':', at), end = text->find('\n', at);
  if (colon == std::string::npos || end == std::string::npos || colon > end) return "unknown";
  return std::string(base::trim(std::string_view(*text).substr(colon + 1, end - colon - 1)));
}

// What a measurement holds for.
std::string key_of_this_machine() {
  return processor() + "\n" + crypto::MultiBuffer::version() + "\n" + crypto::Library::version() +
         "\n";
}

std::optional<crypto::CipherChoice> read_kept(const std::string& file, const std::string& key) {
  if (file.empty()) return std::nullopt;
  const auto text = base::read_file(file, kFileBytesMax);
  if (!text || !text->starts_with(key)) return std::nullopt;
  return crypto::CipherChoice::parse(std::string_view(*text).substr(key.size()));
}

crypto::CipherChoice measure_and_keep(crypto::Library& library, crypto::MultiBuffer& multi_buffer,
                                      const std::string& file, const std::string& key,
                                      const base::Log& log) {
  const crypto::CipherChoice choice =
      crypto::measure(library, multi_buffer, [] { return base::monotonic_now(); });
  if (file.empty()) return choice;
  const std::string failure = base::write_file_atomically(file, key + choice.to_text(), 0600);
  if (!failure.empty()) log.info("which cipher code is faster is not kept: " + failure);
  return choice;
}

}  // namespace

crypto::CipherChoice choose_ciphers(std::unique_ptr<crypto::MultiBuffer> tested,
                                    const std::string& file, const base::Log& log) {
  if (!tested) return {};
  const std::string key = key_of_this_machine();
  const auto kept = read_kept(file, key);
  if (kept && !kept->any()) return *kept;
  crypto::Library library;
  const std::string wrong = crypto::find_disagreement(library, *tested);
  if (!wrong.empty()) {
    log.warning(crypto::MultiBuffer::version() + " fails its self-test (" + wrong +
                "): it is not used, and OpenSSL does all packets");
    return {};
  }
  return kept ? *kept : measure_and_keep(library, *tested, file, key, log);
}

std::string describe_cipher(const crypto::CipherChoice& choice, const std::string& cipher,
                            const std::string& auth) {
  std::string text = cipher;
  if (crypto::aead_key_bytes(cipher) == 0) text += " with " + auth;
  const std::size_t from = choice.from_packets(cipher, auth);
  if (from == crypto::CipherChoice::kNever) return text + " by " + crypto::Library::version();
  text += " by " + crypto::MultiBuffer::version();
  if (from == 1) return text;
  return text + " from " + std::to_string(from) + " packets on, else by " +
         crypto::Library::version();
}

std::string cipher_library(const crypto::CipherChoice& choice, const std::string& cipher,
                           const std::string& auth) {
  const bool never = choice.from_packets(cipher, auth) == crypto::CipherChoice::kNever;
  std::string name = never ? crypto::Library::version() : crypto::MultiBuffer::version();
  std::ranges::replace(name, ' ', '-');
  return name;
}

}  // namespace engine
