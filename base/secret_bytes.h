// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/wipe.h"

namespace base {

// Key material: fixed size, wiped when destroyed, moved but never copied by accident.
class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(std::size_t size) : bytes_(size) {}
  explicit SecretBytes(ByteSpan from) : bytes_(from.begin(), from.end()) {}
  SecretBytes(SecretBytes&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  SecretBytes& operator=(SecretBytes&& other) noexcept {
    if (this != &other) {
      wipe();
      bytes_ = std::exchange(other.bytes_, {});
    }
    return *this;
  }
  ~SecretBytes() { wipe(); }

  SecretBytes clone() const { return SecretBytes(view()); }
  ByteSpan view() const { return bytes_; }
  MutableByteSpan mutable_view() { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

 private:
  void wipe() {
    if (!bytes_.empty()) ::explicit_bzero(bytes_.data(), bytes_.size());
  }
  Bytes bytes_;
};

}  // namespace base
