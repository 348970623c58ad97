// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/kept_memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace engine {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

KeptWord::KeptWord(std::uint8_t* at)
    : at_(reinterpret_cast<std::uint64_t*>(at)), last_(base::load_be64(at)) {}

void KeptWord::set(std::uint64_t value) {
  if (value == last_) return;
  last_ = value;
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes;
  base::store_be64(bytes.data(), value);
  std::uint64_t word = 0;
  ::memcpy(&word, bytes.data(), sizeof word);
  std::atomic_ref<std::uint64_t>(*at_).store(word, std::memory_order_release);
}

KeptMemory::KeptMemory(base::UniqueFd fd, std::uint8_t* bytes)
    : fd_(std::move(fd)), bytes_(bytes), locked_(::mlock2(bytes, kKeptBytes, MLOCK_ONFAULT) == 0) {
  static_cast<void>(::madvise(bytes, kKeptBytes, MADV_DONTDUMP));
}

KeptMemory::~KeptMemory() { ::munmap(bytes_, kKeptBytes); }

void KeptMemory::wipe() { ::explicit_bzero(bytes_, kKeptBytes); }

std::unique_ptr<KeptMemory> KeptMemory::map(base::UniqueFd fd) {
  void* const at = ::mmap(nullptr, kKeptBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) return nullptr;
  return std::unique_ptr<KeptMemory>(new KeptMemory(std::move(fd), static_cast<std::uint8_t*>(at)));
}

std::unique_ptr<KeptMemory> KeptMemory::make() {
  base::UniqueFd fd(::memfd_create("tunctl-state", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd || ::ftruncate(fd.get(), kKeptBytes) != 0) return nullptr;
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) return nullptr;
  auto memory = map(std::move(fd));
  if (memory) write_kept_head(memory->bytes());
  return memory;
}

std::unique_ptr<KeptMemory> KeptMemory::take_over(base::UniqueFd fd) {
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0 || status.st_size != kKeptBytes) return nullptr;
  // Without these seals a shorter file would end the reader by SIGBUS.
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kSeals) != kSeals) return nullptr;
  return map(std::move(fd));
}

}  // namespace engine
