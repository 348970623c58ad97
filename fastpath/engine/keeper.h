// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/unique_fd.h"
#include "fastpath/engine/comes_back.h"
#include "fastpath/engine/descriptor_store.h"
#include "fastpath/engine/kept_memory.h"
#include "fastpath/engine/kept_state.h"

namespace engine {

// What makes a tunnel outlive its engine: interface, socket and state are kept by the service
// manager, and the run after a kill or a restart goes on with them. Where nobody keeps them, or
// nobody wants it, this does nothing. Used by the main thread.
class Keeper {
 public:
  // `mark`: a file that is there while what is kept may be taken over; empty: none.
  Keeper(std::string mark, const base::Log& log) : mark_(std::move(mark)), log_(log) {}
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  // Before an engine is made: what there is of the last run fits `config`, or is let go of.
  void begin(const ConfigHash& config, bool wanted);
  // What this run goes on with; nothing: everything is made anew.
  const Kept* last() const { return last_ ? &*last_ : nullptr; }
  base::UniqueFd take_device();
  base::UniqueFd take_socket();
  // It did not fit after all: everything of it is let go of. `why` is for the log.
  void give_up(const std::string& why);

  // As long as these are not forgotten again, another run may take them over.
  void keep_device(int fd);
  void keep_socket(int fd);
  void forget_device();
  void forget_socket();
  bool keeps() const { return memory_ != nullptr && !stopped_; }
  bool may_leave() const { return keeps() && device_kept_; }
  // What the next run is to know; `state.config` and `state.unheard` are filled in here.
  void note(KeptState state);
  void heard();  // the peer: this run is not counted among those that nobody heard
  void keep_time(std::uint64_t packet_time);
  // For the data thread: what was received, as peer::Carried has it.
  KeptWord* received() { return received_ ? &*received_ : nullptr; }
  KeptWord* barred() { return barred_ ? &*barred_ : nullptr; }
  void stop();  // asked to: nobody takes over

 private:
  void take_memory();
  void make_memory();
  void find_words();
  void set_mark();

  ComesBackMark mark_;
  const base::Log& log_;
  DescriptorStore store_;
  std::unique_ptr<KeptMemory> memory_;
  std::optional<KeptWord> packet_time_, received_, barred_;
  std::optional<Kept> last_;
  ConfigHash config_{};
  std::vector<std::uint64_t> unheard_;
  std::optional<KeptState> noted_;
  bool device_kept_ = false;
  bool stopped_ = false;
};

}  // namespace engine
