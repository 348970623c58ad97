// SPDX-License-Identifier: Apache-2.0
// A verb as data: parsing, --help, shell completion and the test of the pages all walk this table.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

class Context;

// What a word stands for; completion offers accordingly.
enum class WordKind { kNothing, kNewName, kSite, kFile, kFolder, kHost, kShell, kUnit, kText };

struct OptionRow {
  std::string_view name;   // "--as"
  std::string_view value;  // "NAME", "HERE THERE"; empty: a switch
  std::string_view help;   // one clause, no full stop
  std::string_view words;  // what the value may be, separated by '|'; empty: anything
  WordKind kind = WordKind::kText;
  bool repeated = false;  // may be given several times
};

struct OperandRow {
  std::string_view name;               // "NAME", or "NAME TEXT" for two; empty: the verb takes none
  WordKind kind = WordKind::kNothing;  // of the first
  int min = 0;
  int max = 0;                 // -1: any number
  std::string_view help = {};  // of each, separated by '|'
};

// The parsed command line of one verb.
struct Call {
  std::vector<std::string> operands;
  std::map<std::string, std::vector<std::string>, std::less<>> options;  // switches have no values

  bool has(std::string_view name) const { return options.contains(name); }
  std::optional<std::string> value(std::string_view name) const;
  std::vector<std::string> values(std::string_view name) const;
};

struct Verb {
  std::string_view name;  // "import", "key gen"
  std::string_view summary;
  OperandRow operands;
  std::span<const OptionRow> options;
  int (*run)(Context& context, const Call& call);  // an ExitStatus
  bool hidden = false;
};

std::span<const Verb> verbs();  // in the order in which --help shows them
const Verb* find_verb(std::string_view name);
std::span<const OptionRow> global_options();

// "NAME [--as NAME]" as a usage line and the pages show it.
std::string synopsis(const Verb& verb);
std::string synopsis(const OptionRow& option);

}  // namespace cli
