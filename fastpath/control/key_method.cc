// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/key_method.h"

#include "fastpath/control/limits.h"

namespace control {
namespace {

constexpr std::uint8_t kKeyMethod = 2;
constexpr std::uint8_t kKeyMethodMask = 0x0f;
constexpr std::size_t kPeerInfoBytesMax = 8192;

std::size_t text_bytes(const std::string& text) { return 2 + (text.empty() ? 0 : text.size() + 1); }

// An empty text is a bare length of 0, as OpenVPN writes one that it does not have.
void write_text(const std::string& text, base::ByteWriter& to) {
  if (text.empty()) return to.be16(0);
  to.be16(static_cast<std::uint16_t>(text.size() + 1));
  to.bytes(base::as_bytes(text));
  to.u8(0);
}

// False only if a text is there and damaged; the end of the message is an absent one.
bool read_text(base::ByteReader& from, std::size_t bytes_max, std::string& text) {
  if (from.rest().size() < 2) return from.rest().empty();
  const std::uint16_t size = *from.be16();
  const auto bytes = from.bytes(size);
  if (!bytes || size > bytes_max) return false;
  const std::string_view with_nul = base::as_text(*bytes);
  text = with_nul.substr(0, with_nul.find('\0'));
  return true;
}

}  // namespace

base::SecretBytes write_key_method(const KeyMethodMessage& message) {
  const KeySource& source = message.source;
  const KeyMethodTexts& texts = message.texts;
  base::SecretBytes bytes(4 + 1 + source.pre_master.size() + source.random1.size() +
                          source.random2.size() + text_bytes(texts.options) +
                          text_bytes(texts.username) + text_bytes(texts.password) +
                          text_bytes(texts.peer_info));
  base::ByteWriter writer(bytes.mutable_view());
  writer.be32(0);
  writer.u8(kKeyMethod);
  writer.bytes(source.pre_master.view());
  writer.bytes(source.random1.view());
  writer.bytes(source.random2.view());
  write_text(texts.options, writer);
  write_text(texts.username, writer);
  write_text(texts.password, writer);
  write_text(texts.peer_info, writer);
  return bytes;
}

std::optional<KeyMethodMessage> parse_key_method(base::ByteSpan bytes, config::TlsRole sender) {
  base::ByteReader reader(bytes);
  const auto zero = reader.be32();
  const auto method = reader.u8();
  if (!zero || *zero != 0 || !method || (*method & kKeyMethodMask) != kKeyMethod) {
    return std::nullopt;
  }
  KeyMethodMessage message;
  if (sender == config::TlsRole::kClient) {
    const auto pre_master = reader.bytes(KeySource::kPreMasterBytes);
    if (pre_master) message.source.pre_master = base::SecretBytes(*pre_master);
  }
  const auto random1 = reader.bytes(KeySource::kRandomBytes);
  const auto random2 = reader.bytes(KeySource::kRandomBytes);
  if (!reader.ok()) return std::nullopt;
  message.source.random1 = base::SecretBytes(*random1);
  message.source.random2 = base::SecretBytes(*random2);
  KeyMethodTexts& texts = message.texts;
  if (!read_text(reader, kOptionsTextMax, texts.options) ||
      !read_text(reader, kCredentialBytesMax, texts.username) ||
      !read_text(reader, kCredentialBytesMax, texts.password) ||
      !read_text(reader, kPeerInfoBytesMax, texts.peer_info)) {
    return std::nullopt;
  }
  return message;
}

}  // namespace control
