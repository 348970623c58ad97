// SPDX-License-Identifier: Apache-2.0
#include "ovpn/management.h"

#include <cstddef>
#include <utility>

#include "base/text.h"

namespace ovpn {
namespace {

constexpr std::string_view kPrompt = "ENTER PASSWORD:";

// "a,b,rest with, commas" -> a, b, rest.
std::vector<std::string_view> split_first(std::string_view text, std::size_t fields) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < fields) {
    const auto comma = text.find(',');
    if (comma == std::string_view::npos) break;
    parts.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  parts.push_back(text);
  return parts;
}

std::optional<ManagementMessage> parse_bytecount(std::string_view text) {
  const auto parts = base::split(text, ',');
  if (parts.size() != 2) return std::nullopt;
  const auto in = base::parse_number<std::uint64_t>(parts[0]);
  const auto out = base::parse_number<std::uint64_t>(parts[1]);
  if (!in || !out) return std::nullopt;
  return ManagementByteCount{*in, *out};
}

std::optional<ManagementMessage> parse_log(std::string_view text) {
  const auto parts = split_first(text, 3);
  if (parts.size() != 3) return std::nullopt;
  const auto time = base::parse_number<base::UnixSeconds>(parts[0]);
  if (!time) return std::nullopt;
  return ManagementLog{*time, std::string(parts[1]), std::string(parts[2])};
}

// "Waiting for hold release:10"
ManagementMessage parse_hold(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto seconds = base::parse_number<std::uint32_t>(
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1));
  return ManagementHold{seconds.value_or(0)};
}

// A line that stock sends unasked; `line` is without its ">".
ManagementMessage parse_notice(std::string_view line) {
  const auto colon = line.find(':');
  const std::string_view kind = line.substr(0, colon);
  const std::string_view text =
      colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  std::optional<ManagementMessage> message;
  if (kind == "STATE") message = parse_management_state(text);
  if (kind == "BYTECOUNT") message = parse_bytecount(text);
  if (kind == "LOG") message = parse_log(text);
  if (kind == "HOLD") message = parse_hold(text);
  if (kind == "PASSWORD") message = ManagementPassword{std::string(text)};
  if (kind == "FATAL") message = ManagementFatal{std::string(text)};
  if (message) return *std::move(message);
  return ManagementNotice{std::string(kind), std::string(text)};
}

std::string_view after(std::string_view line, std::string_view prefix) {
  return base::trim(line.substr(prefix.size()));
}

bool is_one_line(std::string_view value) {
  using std::string_view_literals::operator""sv;
  return value.find_first_of("\r\n\0"sv) == std::string_view::npos;
}

std::string in_quotes(std::string_view value) {
  std::string text = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  return text + "\"";
}

std::optional<std::string> credential(std::string_view command, std::string_view what,
                                      std::string_view value) {
  if (!is_one_line(what) || !is_one_line(value)) return std::nullopt;
  return std::string(command) + " " + in_quotes(what) + " " + in_quotes(value) + "\n";
}

}  // namespace

std::optional<ManagementState> parse_management_state(std::string_view fields) {
  const auto parts = base::split(fields, ',');
  if (parts.size() < 2) return std::nullopt;
  const auto time = base::parse_number<base::UnixSeconds>(parts[0]);
  const auto state = parse_connection_state(parts[1]);
  if (!time || !state) return std::nullopt;
  const auto field = [&parts](std::size_t index) {
    return index < parts.size() ? std::string(parts[index]) : std::string();
  };
  // Fields 6 and 7 are the local address and port.
  return ManagementState{*time, *state, field(2), field(3), field(4), field(5), field(8)};
}

void ManagementReader::feed(std::string_view bytes) {
  for (;;) {
    const auto newline = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, newline);
    if (partial_.size() + piece.size() > kManagementLineBytesMax) {
      dropping_ = true;
      partial_.clear();
    }
    if (!dropping_) partial_.append(piece);
    if (newline == std::string_view::npos) break;
    if (!dropping_) take_line(partial_);
    partial_.clear();
    dropping_ = false;
    bytes.remove_prefix(newline + 1);
  }
  // The one message without a newline.
  if (partial_ == kPrompt) {
    partial_.clear();
    messages_.push_back(ManagementPasswordPrompt{});
  }
}

void ManagementReader::take_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with('>')) {
    messages_.push_back(parse_notice(line.substr(1)));
  } else if (line.starts_with("SUCCESS:")) {
    messages_.push_back(ManagementSuccess{std::string(after(line, "SUCCESS:"))});
  } else if (line.starts_with("ERROR:")) {
    messages_.push_back(ManagementError{std::string(after(line, "ERROR:"))});
  } else if (line == "END") {
    messages_.push_back(ManagementEnd{});
  } else if (!line.empty()) {
    messages_.push_back(ManagementData{std::string(line)});
  }
}

std::optional<ManagementMessage> ManagementReader::next() {
  if (messages_.empty()) return std::nullopt;
  ManagementMessage message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

std::string management_state_on() { return "state on\n"; }
std::string management_state_query() { return "state\n"; }
std::string management_bytecount(std::uint32_t interval_seconds) {
  return "bytecount " + std::to_string(interval_seconds) + "\n";
}
std::string management_log_on() { return "log on\n"; }
std::string management_hold_release() { return "hold release\n"; }
std::string management_signal(std::string_view name) {
  return "signal " + std::string(name) + "\n";
}
std::string management_status() { return "status\n"; }
std::string management_exit() { return "exit\n"; }

std::optional<std::string> management_username(std::string_view what, std::string_view value) {
  return credential("username", what, value);
}
std::optional<std::string> management_password(std::string_view what, std::string_view value) {
  return credential("password", what, value);
}

}  // namespace ovpn
