// SPDX-License-Identifier: Apache-2.0
#include "ovpn/static_key.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>

#include "base/file.h"
#include "base/hex_digit.h"
#include "base/text.h"

namespace ovpn {
namespace {

constexpr std::string_view kBegin = "-----BEGIN OpenVPN Static key V1-----";
constexpr std::string_view kEnd = "-----END OpenVPN Static key V1-----";
constexpr std::size_t kBlockBytes = 64;    // of each of the four blocks
constexpr std::size_t kBytesPerLine = 16;  // as stock writes them
constexpr std::string_view kOwnKind = "an OpenVPN static key";

// What people hand over instead of a static key, by the words of its first line.
struct OtherKind {
  std::string_view mark;
  std::string_view name;
};
constexpr OtherKind kOtherKinds[] = {
    {"-----BEGIN OpenVPN tls-crypt-v2 client key", "a tls-crypt-v2 client key"},
    {"-----BEGIN OpenVPN tls-crypt-v2 server key", "a tls-crypt-v2 server key"},
    {"-----BEGIN OPENSSH PRIVATE KEY", "an SSH private key"},
    {"PRIVATE KEY-----", "a PEM private key"},
    {"PUBLIC KEY-----", "a PEM public key"},
    {"-----BEGIN CERTIFICATE REQUEST", "a certificate request"},
    {"-----BEGIN CERTIFICATE", "a certificate"},
    {"-----BEGIN TRUSTED CERTIFICATE", "a certificate"},
    {"-----BEGIN X509 CRL", "a certificate revocation list"},
    {"-----BEGIN DH PARAMETERS", "Diffie-Hellman parameters"},
    {"-----BEGIN PGP", "a PGP block"},
    {"ssh-", "an SSH public key"},
    {"[Interface]", "a WireGuard config"},
    {"remote ", "an OpenVPN config"},
    {kBegin, kOwnKind},
};

std::string describe_other_kind(std::string_view text) {
  if (base::trim(text).empty()) return "the key file is empty";
  if (const std::string_view kind = kind_of_key(text); !kind.empty() && kind != kOwnKind) {
    return "this is " + std::string(kind) + ", not an OpenVPN static key";
  }
  if (text.find(kBegin) != std::string_view::npos) {
    return "the line " + std::string(kBegin) + " must begin at the first column";
  }
  return "there is no line " + std::string(kBegin);
}

// Collects hex digits in pairs and counts lines as it goes.
class KeyReader {
 public:
  KeyReader(std::string_view file, std::size_t first_line)
      : file_(file), line_number_(first_line), bytes_(kStaticKeyBytes) {}

  base::Result<StaticKey> run(std::string_view text);

 private:
  base::Problem problem(std::string message, std::string_view remedy = kMakeStaticKey) const {
    return {{file_, line_number_, 0}, std::move(message), std::string(remedy)};
  }
  bool take_digits(std::string_view line);
  base::Result<StaticKey> finish(bool ended);

  std::string file_;
  std::size_t line_number_;
  base::SecretBytes bytes_;
  std::size_t digits_ = 0;
  std::size_t bad_column_ = 0;
};

// False at a character that is neither hex nor white space.
bool KeyReader::take_digits(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    // Stock ignores what follows once the key is full.
    if (digits_ == 2 * kStaticKeyBytes) return true;
    if (std::isspace(static_cast<unsigned char>(line[i])) != 0) continue;
    const int value = base::hex_digit(line[i]);
    if (value < 0) {
      bad_column_ = i + 1;
      return false;
    }
    std::uint8_t& byte = bytes_.mutable_view()[digits_ / 2];
    byte = static_cast<std::uint8_t>(byte << 4 | value);
    ++digits_;
  }
  return true;
}

base::Result<StaticKey> KeyReader::run(std::string_view text) {
  const auto lines = base::split(text, '\n');
  const auto begin = std::find_if(lines.begin(), lines.end(),
                                  [](std::string_view line) { return line.starts_with(kBegin); });
  if (begin == lines.end()) return problem(describe_other_kind(text));
  line_number_ += static_cast<std::size_t>(begin - lines.begin());
  for (auto line = begin + 1; line != lines.end(); ++line) {
    ++line_number_;
    if (line->starts_with(kEnd)) return finish(true);
    if (line->starts_with('-')) {
      return problem("the key ends with a wrong line", "write " + std::string(kEnd));
    }
    if (!take_digits(*line)) {
      base::Problem wrong = problem("a character that is no hex digit in the key",
                                    "the file is damaged; copy it again from the other end");
      wrong.place.column = bad_column_;
      return wrong;
    }
  }
  return finish(false);
}

base::Result<StaticKey> KeyReader::finish(bool ended) {
  if (digits_ != 2 * kStaticKeyBytes) {
    return problem("the key has " + std::to_string(digits_ / 2) + " bytes, not " +
                       std::to_string(kStaticKeyBytes),
                   "the file is truncated; copy it again from the other end");
  }
  if (!ended) {
    return problem("the line " + std::string(kEnd) + " is missing",
                   "the file is truncated; copy it again from the other end");
  }
  StaticKey key{std::move(bytes_)};
  for (const int index : {0, 1}) {
    for (const base::ByteSpan block : {key.cipher_block(index), key.hmac_block(index)}) {
      if (std::all_of(block.begin(), block.end(), [](std::uint8_t byte) { return byte == 0; })) {
        return problem("a part of the key is all zeros, which is no key");
      }
    }
  }
  return key;
}

}  // namespace

base::ByteSpan StaticKey::cipher_block(int key_index) const {
  if (key_index != 0 && key_index != 1) std::abort();
  return bytes.view().subspan(static_cast<std::size_t>(key_index) * 2 * kBlockBytes, kBlockBytes);
}

base::ByteSpan StaticKey::hmac_block(int key_index) const {
  if (key_index != 0 && key_index != 1) std::abort();
  return bytes.view().subspan((static_cast<std::size_t>(key_index) * 2 + 1) * kBlockBytes,
                              kBlockBytes);
}

base::Result<StaticKey> parse_static_key(std::string_view file, std::string_view text,
                                         std::size_t first_line) {
  return KeyReader(file, first_line).run(text);
}

std::string format_static_key(const StaticKey& key) {
  std::string text = "#\n# 2048 bit OpenVPN static key\n#\n";
  text.append(kBegin).push_back('\n');
  for (std::size_t at = 0; at < kStaticKeyBytes; at += kBytesPerLine) {
    text += base::to_hex(key.bytes.view().subspan(at, kBytesPerLine));
    text.push_back('\n');
  }
  text.append(kEnd).push_back('\n');
  return text;
}

StaticKey generate_static_key() {
  StaticKey key{base::SecretBytes(kStaticKeyBytes)};
  base::random_bytes(key.bytes.mutable_view());
  return key;
}

std::string_view kind_of_key(std::string_view text) {
  const auto found = std::find_if(
      std::begin(kOtherKinds), std::end(kOtherKinds),
      [text](const OtherKind& kind) { return text.find(kind.mark) != std::string_view::npos; });
  return found == std::end(kOtherKinds) ? std::string_view() : found->name;
}

bool looks_like_key(std::string_view word) {
  constexpr std::size_t kLineCharsMin = 32;  // of a static key; PEM has 64, WireGuard 44
  if (word.starts_with("---")) return true;
  return word.size() >= kLineCharsMin && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=';
         });
}

int send_key_index(KeyDirection direction) { return direction == KeyDirection::kInverse ? 1 : 0; }

int receive_key_index(KeyDirection direction) { return direction == KeyDirection::kNormal ? 1 : 0; }

}  // namespace ovpn
