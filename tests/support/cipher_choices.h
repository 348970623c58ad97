// SPDX-License-Identifier: Apache-2.0
// The implementations of packet ciphers that this program has, for tests that must hold for each.
#pragma once

#include <vector>

#include "fastpath/crypto/multi_buffer.h"

namespace support {

// The multi-buffer library for all that it can do, from so many packets on.
inline crypto::CipherChoice multi_buffer_from(std::size_t packets) {
  crypto::CipherChoice choice;
  for (std::size_t i = 0; i < crypto::CipherChoice::kFamilies.size(); ++i) choice.use(i, packets);
  return choice;
}

// EVP; where there is a multi-buffer library also that, and both mixed.
inline std::vector<crypto::CipherChoice> cipher_choices() {
  std::vector<crypto::CipherChoice> choices(1);
  if (crypto::MultiBuffer::make() == nullptr) return choices;
  choices.push_back(multi_buffer_from(1));
  choices.push_back(multi_buffer_from(3));
  return choices;
}

}  // namespace support
