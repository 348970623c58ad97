// SPDX-License-Identifier: Apache-2.0
#include "ovpn/tls_words.h"

#include <charconv>

#include "base/text.h"
#include "ovpn/cipher_name.h"

namespace ovpn {
namespace {

std::optional<unsigned> parse_hex(std::string_view digits) {
  unsigned value = 0;
  const char* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, 16);
  if (digits.empty() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> parse_fingerprint(std::string_view text, std::size_t bytes) {
  const auto pairs = base::split(text, ':');
  if (pairs.size() != bytes) return std::nullopt;
  std::string result;
  for (const std::string_view pair : pairs) {
    const auto value = parse_hex(pair);
    if (!value || pair.size() > 2) return std::nullopt;
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    if (!result.empty()) result += ':';
    result += {kDigits[*value >> 4], kDigits[*value & 15]};
  }
  return result;
}

std::vector<std::string_view> fingerprint_lines(const Directive& directive) {
  std::vector<std::string_view> lines;
  if (!directive.body) {
    if (!directive.args.empty()) lines.emplace_back(directive.args[0]);
    return lines;
  }
  for (const std::string_view line : base::split(*directive.body, '\n')) {
    const std::string_view bare = base::trim(line);
    if (!bare.empty() && bare[0] != '#' && bare[0] != ';') lines.push_back(bare);
  }
  return lines;
}

std::optional<std::string_view> verify_hash_digest(const Directive& directive) {
  const std::size_t index = directive.body ? 0 : 1;
  const std::string_view name =
      index < directive.args.size() ? std::string_view(directive.args[index]) : "";
  if (name.empty()) return directive.body ? "SHA256" : "SHA1";
  if (name == "SHA1" || name == "SHA256") return name;
  return std::nullopt;
}

std::optional<unsigned> parse_key_usage(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  const auto value = parse_hex(text);
  if (!value || *value == 0 || *value > 0xffff) return std::nullopt;
  return value;
}

std::optional<int> parse_openvpn_version(std::string_view text) {
  int version = 0;
  int parts = 0;
  for (const std::string_view part : base::split(text, '.')) {
    const auto number = base::parse_number<int>(part);
    if (!number || *number < 0 || *number > 99 || ++parts > 3) return std::nullopt;
    version = version * 100 + *number;
  }
  return parts == 1 ? version * 10000 : parts == 2 ? version * 100 : version;
}

std::optional<std::string_view> unknown_data_cipher(std::string_view list) {
  for (const std::string_view entry : base::split(list, ':')) {
    if (entry == "DEFAULT" || entry.starts_with('?')) continue;  // DEFAULT: 2.7
    const CipherName* found = find_cipher(entry);
    if (found == nullptr || found->mode == CipherMode::kStream) return entry;
  }
  return std::nullopt;
}

bool is_tls_version(std::string_view text) {
  return text == "1.0" || text == "1.1" || text == "1.2" || text == "1.3";
}

}  // namespace ovpn
