// SPDX-License-Identifier: Apache-2.0
#include "ovpn/status_line.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace ovpn {
namespace {

constexpr std::string_view kNoteSeparator = " - ";
constexpr std::string_view kDropPrefix = "drop.";

template <typename T>
void append_number(std::string& text, std::string_view key, const std::optional<T>& value) {
  if (!value) return;
  text.append(" ").append(key).append(" ").append(std::to_string(*value));
}

template <typename T>
bool take_number(std::string_view text, std::optional<T>& value) {
  value = base::parse_number<T>(text);
  return value.has_value();
}

// False if a known key has a value that is none. Unknown keys pass.
bool take_pair(std::string_view key, std::string_view value, StatusLine& status) {
  if (key == "peer") status.peer = value;
  if (key == "crypto") status.crypto = value;
  if (key == "offload") status.offload = value;
  if (key == "since") return take_number(value, status.since);
  if (key == "rx") return take_number(value, status.rx_bytes);
  if (key == "tx") return take_number(value, status.tx_bytes);
  if (key == "drops") return take_number(value, status.drops);
  if (key == "auth-failed") return take_number(value, status.auth_failed);
  if (key == "heard") return take_number(value, status.heard_seconds);
  if (key.starts_with(kDropPrefix)) {
    const auto count = base::parse_number<std::uint64_t>(value);
    if (!count) return false;
    status.drop_reasons.emplace_back(key.substr(kDropPrefix.size()), *count);
  }
  return true;
}

}  // namespace

std::string format_status_line(const StatusLine& status) {
  std::string text(to_string(status.state));
  if (!status.peer.empty()) text += " peer " + status.peer;
  append_number(text, "since", status.since);
  append_number(text, "rx", status.rx_bytes);
  append_number(text, "tx", status.tx_bytes);
  append_number(text, "drops", status.drops);
  append_number(text, "auth-failed", status.auth_failed);
  append_number(text, "heard", status.heard_seconds);
  if (!status.crypto.empty()) text += " crypto " + status.crypto;
  if (!status.offload.empty()) text += " offload " + status.offload;
  for (const auto& [reason, count] : status.drop_reasons) {
    append_number(text, std::string(kDropPrefix) + reason, std::optional(count));
  }
  if (!status.note.empty()) text.append(kNoteSeparator).append(status.note);
  // A line break would end the STATUS= field of sd_notify and start another one.
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::optional<StatusLine> parse_status_line(std::string_view text) {
  StatusLine status;
  if (const auto at = text.find(kNoteSeparator); at != std::string_view::npos) {
    status.note = text.substr(at + kNoteSeparator.size());
    text = text.substr(0, at);
  }
  const auto words = base::split_words(text);
  if (words.size() % 2 != 1) return std::nullopt;
  const auto state = parse_connection_state(words[0]);
  if (!state) return std::nullopt;
  status.state = *state;
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!take_pair(words[i], words[i + 1], status)) return std::nullopt;
  }
  return status;
}

}  // namespace ovpn
