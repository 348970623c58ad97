// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/complete.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "supervisor/cli/verb.h"

namespace cli {
namespace {

bool is_called(const OptionRow& row, std::string_view word) {
  const auto names = base::split(row.name, ',');
  return std::find(names.begin(), names.end(), word) != names.end();
}

std::size_t value_count(const OptionRow& row) { return base::split_words(row.value).size(); }

class Completer {
 public:
  Completer(std::span<const std::string> words, const Names& names)
      : typed_(words.empty() ? "" : words.back()), names_(names) {
    for (std::size_t at = 0; at + 1 < words.size(); ++at) take(words[at]);
  }

  std::vector<Suggestion> suggest() {
    if (option_ != nullptr) {
      value(*option_);
    } else if (typed_.starts_with('-')) {
      options();
    } else if (verb_ == nullptr) {
      verbs_here();
    } else if (verb_->operands.max < 0 || operands_.size() < std::size_t(verb_->operands.max)) {
      const bool first = operands_.empty() || verb_->operands.max < 0;
      words_of(first ? verb_->operands.kind : WordKind::kText);
    }
    return std::move(found_);
  }

 private:
  // One complete word: an option, a value, a verb or an operand.
  void take(std::string_view word) {
    if (option_ != nullptr) {
      if (--values_left_ == 0) option_ = nullptr;
      return;
    }
    if (word.starts_with('-')) {
      const OptionRow* row = find_option(word);
      if (row == nullptr || row->value.empty()) return;
      option_ = row;
      values_left_ = value_count(*row);
      return;
    }
    if (verb_ != nullptr) {
      operands_.emplace_back(word);
      return;
    }
    const std::string name = group_.empty() ? std::string(word) : group_ + " " + std::string(word);
    verb_ = find_verb(name);
    if (verb_ == nullptr) group_ = name;
  }

  const OptionRow* find_option(std::string_view word) const {
    if (verb_ != nullptr) {
      for (const OptionRow& row : verb_->options) {
        if (is_called(row, word)) return &row;
      }
    }
    for (const OptionRow& row : global_options()) {
      if (is_called(row, word)) return &row;
    }
    return nullptr;
  }

  void offer(std::string_view word, std::string_view help = "") {
    const Suggestion suggestion{std::string(word), std::string(help)};
    const bool known = std::find(found_.begin(), found_.end(), suggestion) != found_.end();
    if (word.starts_with(typed_) && !known) found_.push_back(suggestion);
  }

  void options() {
    const auto offer_all = [this](std::span<const OptionRow> rows) {
      for (const OptionRow& row : rows) {
        for (const std::string_view name : base::split(row.name, ',')) {
          if (name.starts_with("--")) offer(name, row.help);
        }
      }
    };
    if (verb_ != nullptr) offer_all(verb_->options);
    offer_all(global_options());
    offer("--help", "Show help");
  }

  void value(const OptionRow& row) {
    if (row.words.empty()) return words_of(row.kind);
    for (const std::string_view word : base::split(row.words, '|')) offer(word);
  }

  void verbs_here() {
    const std::string prefix = group_.empty() ? "" : group_ + " ";
    for (const Verb& verb : verbs()) {
      if (verb.hidden || !verb.name.starts_with(prefix)) continue;
      const auto rest = verb.name.substr(prefix.size());
      const auto blank = rest.find(' ');
      offer(rest.substr(0, blank), blank == std::string_view::npos ? verb.summary : "Keys");
    }
  }

  void words_of(WordKind kind) {
    switch (kind) {
      case WordKind::kSite:
        for (const std::string& name : names_.sites) {
          const bool given = std::find(operands_.begin(), operands_.end(), name) != operands_.end();
          if (!given) offer(name);
        }
        break;
      case WordKind::kUnit:
        for (const std::string& unit : names_.units) offer(unit);
        break;
      case WordKind::kFile:
        found_.push_back({":files", ""});
        break;
      case WordKind::kFolder:
        found_.push_back({":folders", ""});
        break;
      case WordKind::kShell:
        for (const std::string_view shell : {"bash", "zsh", "fish"}) offer(shell);
        break;
      case WordKind::kNothing:
      case WordKind::kNewName:
      case WordKind::kHost:
      case WordKind::kText:
        break;
    }
  }

  const std::string typed_;
  const Names& names_;
  const Verb* verb_ = nullptr;
  std::string group_;  // "key", until its second word has come
  std::vector<std::string> operands_;
  const OptionRow* option_ = nullptr;
  std::size_t values_left_ = 0;
  std::vector<Suggestion> found_;
};

}  // namespace

std::vector<Suggestion> complete(std::span<const std::string> words, const Names& names) {
  return Completer(words, names).suggest();
}

}  // namespace cli
