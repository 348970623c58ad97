// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: key method 2, the first message inside TLS, one each way.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "base/secret_bytes.h"
#include "fastpath/config/tls_config.h"

namespace control {

// What one end contributes to the keys where they come from the PRF.
struct KeySource {
  static constexpr std::size_t kPreMasterBytes = 48;
  static constexpr std::size_t kRandomBytes = 32;

  base::SecretBytes pre_master;  // the client's only; empty in the server's
  base::SecretBytes random1, random2;
};

// The part that is text; all without their NUL.
struct KeyMethodTexts {
  std::string options;
  std::string username, password;
  std::string peer_info;
};

struct KeyMethodMessage {
  KeySource source;
  KeyMethodTexts texts;

  KeyMethodMessage() = default;
  KeyMethodMessage(KeyMethodMessage&&) = default;
  KeyMethodMessage& operator=(KeyMethodMessage&&) = default;
  ~KeyMethodMessage() { base::wipe(texts.password); }
};

base::SecretBytes write_key_method(const KeyMethodMessage& message);
// `sender`: the client's message has a pre-master secret. Nothing if it is damaged, or of another
// key method. Fields that old peers leave out are empty.
std::optional<KeyMethodMessage> parse_key_method(base::ByteSpan bytes, config::TlsRole sender);

}  // namespace control
