// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "base/log.h"
#include "fastpath/crypto/multi_buffer.h"

namespace engine {

// Which implementation does what, decided before the first packet: nothing of the multi-buffer
// library is used that did not pass its self-test in this run, or was not measured to be faster on
// this machine. The measurement is kept in `file` by processor, library and OpenSSL version, so it
// is made once; an empty `file`: at every start. A few milliseconds either way. `tested`: what
// MultiBuffer::make() gave, which may be nothing.
crypto::CipherChoice choose_ciphers(std::unique_ptr<crypto::MultiBuffer> tested,
                                    const std::string& file, const base::Log& log);

// "AES-256-CBC with SHA512 by ipsec-mb 1.3.0 from 2 packets on, else by OpenSSL 3.0.15". `auth` is
// without meaning with AEAD.
std::string describe_cipher(const crypto::CipherChoice& choice, const std::string& cipher,
                            const std::string& auth);
// For a status line, without spaces: "ipsec-mb-1.3.0".
std::string cipher_library(const crypto::CipherChoice& choice, const std::string& cipher,
                           const std::string& auth);

}  // namespace engine
