// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/unique_fd.h"
#include "fastpath/engine/kept_state.h"

namespace engine {

// A number in kept memory: one aligned store, so that it is whole whenever the writer is killed.
// Used by one thread; its memory must outlive it.
class KeptWord {
 public:
  explicit KeptWord(std::uint8_t* at);
  void set(std::uint64_t value);

 private:
  std::uint64_t* const at_;
  std::uint64_t last_;  // nothing is stored that is there already
};
static_assert(std::atomic_ref<std::uint64_t>::is_always_lock_free);

// Memory in a file descriptor that outlives the process with it: sealed, so that nobody can take it
// from under a reader, locked, in no core.
class KeptMemory {
 public:
  // Nothing: this kernel does not give any.
  static std::unique_ptr<KeptMemory> make();
  // Of another process. Nothing: it is no such descriptor. What it holds was not looked at.
  static std::unique_ptr<KeptMemory> take_over(base::UniqueFd fd);
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  int fd() const { return fd_.get(); }
  base::MutableByteSpan bytes() { return {bytes_, kKeptBytes}; }
  KeptWord word(std::size_t at) { return KeptWord(bytes_ + at); }
  bool locked() const { return locked_; }  // false: it may come to swap
  void wipe();                             // whoever else has the descriptor finds zeros

 private:
  KeptMemory(base::UniqueFd fd, std::uint8_t* bytes);
  static std::unique_ptr<KeptMemory> map(base::UniqueFd fd);

  base::UniqueFd fd_;
  std::uint8_t* bytes_;
  bool locked_ = false;
};

}  // namespace engine
