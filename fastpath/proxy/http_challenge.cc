// SPDX-License-Identifier: Apache-2.0
#include "fastpath/proxy/http_challenge.h"

#include "base/text.h"

namespace proxy {
namespace {

constexpr std::string_view kSeparators = " \t,=\"";

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  void skip(std::string_view these) {
    const auto at = rest_.find_first_not_of(these);
    rest_.remove_prefix(at == std::string_view::npos ? rest_.size() : at);
  }
  std::string_view token() {
    const auto at = rest_.find_first_of(kSeparators);
    const std::string_view token = rest_.substr(0, at);
    rest_.remove_prefix(token.size());
    return token;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Behind its first quote, up to the closing one; a backslash stands for the character behind it.
  std::string quoted() {
    std::string text;
    while (!rest_.empty()) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') break;
      if (c == '\\' && !rest_.empty()) {
        c = rest_.front();
        rest_.remove_prefix(1);
      }
      text += c;
    }
    return text;
  }

 private:
  std::string_view rest_;
};

std::string_view without_cr(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string Challenge::option(std::string_view name) const {
  for (const auto& [each, value] : options) {
    if (each == name) return value;
  }
  return {};
}

std::vector<Challenge> parse_challenges(std::string_view line) {
  std::vector<Challenge> challenges;
  Reader reader(line);
  while (true) {
    reader.skip(" \t,");
    if (reader.done()) return challenges;
    const std::string name = base::to_lower(reader.token());
    reader.skip(" \t");
    if (!reader.take('=')) {
      if (!name.empty()) {
        challenges.push_back({name, {}});
      } else if (!reader.take('"')) {
        return challenges;  // not reached by a well-formed line
      }
      continue;
    }
    reader.skip(" \t");
    const std::string value = reader.take('"') ? reader.quoted() : std::string(reader.token());
    if (!challenges.empty()) challenges.back().options.emplace_back(name, value);
  }
}

std::optional<HttpAnswer> parse_answer(std::string_view head) {
  const std::vector<std::string_view> lines = base::split(head, '\n');
  const std::string_view first = without_cr(lines.front());
  const std::vector<std::string_view> words = base::split_words(first);
  if (words.size() < 2 || !words[0].starts_with("HTTP/")) return std::nullopt;
  const auto status = base::parse_number<int>(words[1]);
  if (!status || words[1].size() != 3 || *status < 100) return std::nullopt;
  HttpAnswer answer;
  answer.status = *status;
  answer.reason = base::trim(first.substr(first.find(words[1]) + 3));
  for (const std::string_view raw : lines) {
    const std::string_view line = without_cr(raw);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (!base::equals_ignoring_case(base::trim(line.substr(0, colon)), "proxy-authenticate")) {
      continue;
    }
    for (Challenge& challenge : parse_challenges(line.substr(colon + 1))) {
      answer.challenges.push_back(std::move(challenge));
    }
  }
  return answer;
}

}  // namespace proxy
