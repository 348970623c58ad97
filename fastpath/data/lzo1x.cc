// SPDX-License-Identifier: Apache-2.0
#include "fastpath/data/lzo1x.h"

#include <algorithm>
#include <cstdint>

namespace data {
namespace {

// What a first byte of 18 and above stands for: so many literals more than 17.
constexpr std::size_t kFirstLiterals = 17;
// From how far back the different copies start to count.
constexpr std::size_t kAfterLiteralsBase = 2049;
constexpr std::size_t kFarBase = 16384;

class Unpacker {
 public:
  Unpacker(base::ByteSpan block, base::MutableByteSpan out) : in_(block), out_(out) {}

  std::optional<std::size_t> run();

 private:
  // How many literals the last instruction copied: it says what the small codes mean.
  enum class Before { kNone, kFew, kRun };

  bool first_literals();
  bool take(std::uint8_t code);
  bool take_small(std::uint8_t code);
  bool take_far(std::uint8_t code);
  bool take_middle(std::uint8_t code);
  bool take_near(std::uint8_t code);

  std::optional<std::uint8_t> next_byte();
  std::optional<std::size_t> next_le16();
  // A length that did not fit its code: 255 for each zero byte, and the byte that ends them.
  std::optional<std::size_t> length_of(std::size_t in_code, std::size_t mask);
  bool literals(std::size_t count);
  bool run_of_literals(std::size_t count);
  bool copy(std::size_t distance, std::size_t length, std::size_t literals_after);

  base::ByteSpan in_;
  base::MutableByteSpan out_;
  std::size_t at_ = 0;    // in in_
  std::size_t used_ = 0;  // of out_
  Before before_ = Before::kNone;
  bool ended_ = false;
};

std::optional<std::size_t> Unpacker::run() {
  if (!first_literals()) return std::nullopt;
  while (!ended_) {
    const auto code = next_byte();
    if (!code || !take(*code)) return std::nullopt;
  }
  if (at_ != in_.size()) return std::nullopt;
  return used_;
}

bool Unpacker::first_literals() {
  if (in_.empty() || in_[0] <= kFirstLiterals) return true;
  const std::size_t count = in_[0] - kFirstLiterals;
  ++at_;
  return count < 4 ? literals(count) : run_of_literals(count);
}

bool Unpacker::take(std::uint8_t code) {
  if (code >= 64) return take_near(code);
  if (code >= 32) return take_middle(code);
  if (code >= 16) return take_far(code);
  return take_small(code);
}

// 0000LLLL after no literals: a run of them. 0000DDSS after some: a short copy.
bool Unpacker::take_small(std::uint8_t code) {
  if (before_ == Before::kNone) {
    const auto length = length_of(code, 15);
    return length && run_of_literals(*length + 3);
  }
  const auto high = next_byte();
  if (!high) return false;
  const std::size_t distance = (std::size_t{*high} << 2) + (code >> 2);
  if (before_ == Before::kRun) return copy(distance + kAfterLiteralsBase, 3, code & 3u);
  return copy(distance + 1, 2, code & 3u);
}

// 0001HLLL, le16 DDDDDDDD DDDDDDSS: 16 to 48 KB back. At 16 KB exactly: the end.
bool Unpacker::take_far(std::uint8_t code) {
  const auto length = length_of(code & 7u, 7);
  const auto word = length ? next_le16() : std::nullopt;
  if (!word) return false;
  const std::size_t distance = kFarBase + ((code & 8u) != 0 ? kFarBase : 0) + (*word >> 2);
  if (distance == kFarBase) {
    ended_ = true;
    return true;
  }
  return copy(distance, *length + 2, *word & 3);
}

// 001LLLLL, le16 DDDDDDDD DDDDDDSS: up to 16 KB back.
bool Unpacker::take_middle(std::uint8_t code) {
  const auto length = length_of(code & 31u, 31);
  const auto word = length ? next_le16() : std::nullopt;
  return word && copy((*word >> 2) + 1, *length + 2, *word & 3);
}

// 01LDDDSS and 1LLDDDSS, HHHHHHHH: 3 to 8 bytes, up to 2 KB back.
bool Unpacker::take_near(std::uint8_t code) {
  const auto high = next_byte();
  if (!high) return false;
  const std::size_t length = code >= 128 ? 5u + ((code >> 5) & 3u) : 3u + ((code >> 5) & 1u);
  return copy((std::size_t{*high} << 3) + ((code >> 2) & 7u) + 1, length, code & 3u);
}

std::optional<std::uint8_t> Unpacker::next_byte() {
  if (at_ == in_.size()) return std::nullopt;
  return in_[at_++];
}

std::optional<std::size_t> Unpacker::next_le16() {
  if (in_.size() - at_ < 2) return std::nullopt;
  const std::size_t word = in_[at_] | std::size_t{in_[at_ + 1]} << 8;
  at_ += 2;
  return word;
}

std::optional<std::size_t> Unpacker::length_of(std::size_t in_code, std::size_t mask) {
  if (in_code != 0) return in_code;
  std::size_t length = mask;
  while (at_ < in_.size() && in_[at_] == 0) {
    ++at_;
    // What cannot fit need not be counted on, and must not run over on 32-bit machines. Only at the
    // end, which copies nothing, it does not matter.
    if (length <= out_.size()) length += 255;
  }
  const auto last = next_byte();
  if (!last) return std::nullopt;
  return length + *last;
}

bool Unpacker::literals(std::size_t count) {
  before_ = count == 0 ? Before::kNone : Before::kFew;
  if (count > in_.size() - at_ || count > out_.size() - used_) return false;
  std::ranges::copy(in_.subspan(at_, count), out_.subspan(used_).begin());
  at_ += count;
  used_ += count;
  return true;
}

bool Unpacker::run_of_literals(std::size_t count) {
  if (!literals(count)) return false;
  before_ = Before::kRun;
  return true;
}

bool Unpacker::copy(std::size_t distance, std::size_t length, std::size_t literals_after) {
  if (distance > used_ || length > out_.size() - used_) return false;
  // One by one: what is copied may reach into what this very copy writes.
  for (std::size_t i = 0; i < length; ++i, ++used_) out_[used_] = out_[used_ - distance];
  return literals(literals_after);
}

}  // namespace

std::optional<std::size_t> unpack_lzo1x(base::ByteSpan block, base::MutableByteSpan out) {
  return Unpacker(block, out).run();
}

}  // namespace data
