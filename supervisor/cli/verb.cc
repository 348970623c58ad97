// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/verb.h"

#include <algorithm>

namespace cli {

std::optional<std::string> Call::value(std::string_view name) const {
  const auto found = options.find(name);
  if (found == options.end() || found->second.empty()) return std::nullopt;
  return found->second.back();
}

std::vector<std::string> Call::values(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>{} : found->second;
}

const Verb* find_verb(std::string_view name) {
  const auto all = verbs();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const Verb& verb) { return verb.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string synopsis(const OptionRow& option) {
  std::string text(option.name);
  if (!option.value.empty()) text += " " + std::string(option.value);
  return text;
}

std::string synopsis(const Verb& verb) {
  std::string text(verb.name);
  const OperandRow& operands = verb.operands;
  if (!operands.name.empty()) {
    std::string word(operands.name);
    if (operands.max < 0) word += "...";
    text += operands.min == 0 ? " [" + word + "]" : " " + word;
  }
  for (const OptionRow& option : verb.options) text += " [" + synopsis(option) + "]";
  return text;
}

}  // namespace cli
