// SPDX-License-Identifier: Apache-2.0
#include "fastpath/crypto/multi_buffer.h"

namespace crypto {

std::unique_ptr<MultiBuffer> MultiBuffer::make() { return nullptr; }

std::string MultiBuffer::version() { return {}; }

}  // namespace crypto
