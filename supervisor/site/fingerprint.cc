// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/fingerprint.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace site {
namespace {

constexpr std::size_t kSha256Digits = 64, kSha1Digits = 40;
constexpr std::size_t kShownMax = 100;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

base::Problem no_fingerprint(std::string_view text, const std::string& why) {
  return {{},
          "'" + std::string(text.substr(0, kShownMax)) + "' is no fingerprint: " + why,
          "`tunctl key fingerprint` prints it on the other machine, and `openssl x509 -noout "
          "-fingerprint -sha256 -in FILE` for any certificate"};
}

// A lost or doubled digit moves every pair behind it; the colons show where.
bool has_odd_pair(std::string_view digits) {
  if (digits.find(':') == digits.npos) return false;
  const auto pairs = base::split(digits, ':');
  return std::any_of(pairs.begin(), pairs.end(), [](auto pair) { return pair.size() != 2; });
}

}  // namespace

base::Result<std::string> read_fingerprint(std::string_view text) {
  std::string_view digits = base::trim(text);
  if (const auto equals = digits.find('='); equals != digits.npos) {
    digits = base::trim(digits.substr(equals + 1));
  }
  std::string bare;
  for (const char c : digits) {
    if (c == ':') continue;
    if (!is_hex(c)) return no_fingerprint(text, "it holds more than hex digits and colons");
    bare += c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  if (has_odd_pair(digits)) return no_fingerprint(text, "its digits do not stand in pairs");
  if (bare.size() == kSha1Digits) return no_fingerprint(text, "it is one of SHA-1, not of SHA-256");
  if (bare.size() != kSha256Digits) {
    return no_fingerprint(text, "it has " + std::to_string(bare.size()) + " hex digits, not 64");
  }
  std::string fingerprint;
  for (std::size_t at = 0; at < bare.size(); at += 2) {
    fingerprint += (fingerprint.empty() ? "" : ":") + bare.substr(at, 2);
  }
  return fingerprint;
}

}  // namespace site
