// SPDX-License-Identifier: Apache-2.0
// What is tried before the multi-buffer library is trusted with packets, and whether it is worth
// it. A few milliseconds each; not for the packet path.
#pragma once

#include <functional>
#include <string>

#include "base/time.h"
#include "fastpath/crypto/cipher_choice.h"
#include "fastpath/crypto/multi_buffer.h"

namespace crypto {

// Seals and opens packets of known lengths with EVP and with `tested`, all ciphers and digests it
// has, and compares every byte and verdict. Empty: they agree; else the first that does not,
// "AES-256-CBC with SHA512".
std::string find_disagreement(Library& library, MultiBuffer& tested);

// Times both and says from where on `tested` wins. `clock`: the monotonic clock.
CipherChoice measure(Library& library, MultiBuffer& tested,
                     const std::function<base::TimePoint()>& clock);

}  // namespace crypto
