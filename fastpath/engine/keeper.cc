// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/keeper.h"

#include <time.h>

#include <utility>

#include "fastpath/engine/take_over_rule.h"
#include "ovpn/take_over.h"

namespace engine {
namespace {

std::uint64_t seconds_since_boot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec);
}

}  // namespace

void Keeper::begin(const ConfigHash& config, bool wanted) {
  config_ = config;
  last_.reset();
  noted_.reset();
  unheard_.clear();
  if (wanted && store_.has(ovpn::kKeptState)) take_memory();
  if (!last_) {
    for (const char* const name : ovpn::kKeptNames) store_.forget(name);
    packet_time_.reset();
    received_.reset();
    barred_.reset();
    memory_.reset();
    mark_.clear();
  }
  if (wanted && !memory_) make_memory();
}

void Keeper::take_memory() {
  memory_ = KeptMemory::take_over(store_.take(ovpn::kKeptState));
  if (!memory_) return log_.notice("what the last run left is not used: it cannot be mapped");
  auto kept = read_kept(memory_->bytes());
  if (!kept) return log_.notice("what the last run left is not used: " + kept.error());
  TakeOverFacts facts;
  facts.config = config_;
  facts.device = store_.has(ovpn::kKeptDevice);
  facts.now = seconds_since_boot();
  const std::string why = why_not_taken_over(kept->state, facts);
  if (!why.empty()) return log_.notice("what the last run left is not used: " + why);
  unheard_ = unheard_with(kept->state, facts.now);
  find_words();
  device_kept_ = true;
  set_mark();
  last_ = std::move(*kept);
  // At once: this run may end before there is anything else to note.
  note(last_->state);
}

void Keeper::make_memory() {
  memory_ = KeptMemory::make();
  if (!memory_) return log_.info("no memory that outlives a run: the next one begins anew");
  if (!memory_->locked()) log_.info("the memory that outlives a run may come to swap");
  find_words();
  store_.keep(ovpn::kKeptState, memory_->fd());
}

void Keeper::find_words() {
  packet_time_.emplace(memory_->word(kPacketTimeAt));
  received_.emplace(memory_->word(kReceivedAt));
  barred_.emplace(memory_->word(kBarredAt));
}

base::UniqueFd Keeper::take_device() { return store_.take(ovpn::kKeptDevice); }
base::UniqueFd Keeper::take_socket() { return store_.take(ovpn::kKeptSocket); }

void Keeper::give_up(const std::string& why) {
  log_.notice("what the last run left is not used: " + why);
  last_.reset();
  forget_device();
  forget_socket();
}

void Keeper::keep_device(int fd) {
  if (!keeps()) return;
  store_.keep(ovpn::kKeptDevice, fd);
  device_kept_ = true;
  set_mark();
}

void Keeper::keep_socket(int fd) {
  if (keeps()) store_.keep(ovpn::kKeptSocket, fd);
}

void Keeper::forget_device() {
  mark_.clear();
  device_kept_ = false;
  store_.forget(ovpn::kKeptDevice);
}

void Keeper::forget_socket() { store_.forget(ovpn::kKeptSocket); }

void Keeper::note(KeptState state) {
  if (!keeps()) return;
  state.config = config_;
  state.unheard = unheard_;
  if (noted_ == state) return;
  // A token that is void stays in neither of the two places.
  const bool twice = noted_ && noted_->token != state.token;
  if (!write_kept(memory_->bytes(), state) || (twice && !write_kept(memory_->bytes(), state))) {
    log_.notice("this tunnel has too much to be kept: the run after a restart begins anew");
    return stop();
  }
  noted_ = std::move(state);
}

void Keeper::heard() { unheard_.clear(); }

void Keeper::keep_time(std::uint64_t packet_time) {
  if (packet_time_) packet_time_->set(packet_time);
}

void Keeper::stop() {
  stopped_ = true;
  mark_.clear();
  device_kept_ = false;
  store_.forget_all();
  if (memory_) memory_->wipe();
}

void Keeper::set_mark() {
  const std::string failure = mark_.set();
  if (!failure.empty()) log_.info(failure);
}

}  // namespace engine
