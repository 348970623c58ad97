// SPDX-License-Identifier: Apache-2.0
// The only file that knows CLI11: it turns the table of verbs into parsers.
#include "supervisor/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "supervisor/cli/verb.h"
#include "supervisor/site/site.h"

namespace cli {
namespace {

constexpr const char* kVersion = TUNCTL_VERSION;

// What /usr/bin/tunctl of uml-utilities took; it made tap interfaces.
constexpr std::string_view kUmlOptions = "tdubnpf";

bool is_uml_option(const std::string& word) {
  return word.size() >= 2 && word[0] == '-' &&
         kUmlOptions.find(word[1]) != std::string_view::npos &&
         (word.size() == 2 || word[1] == 't');
}

// Options of ours may stand before it: "-v -t tap0".
bool is_uml_line(const std::vector<std::string>& arguments) {
  const auto first = std::find_if(arguments.begin(), arguments.end(), [](const std::string& word) {
    return !word.starts_with('-') || is_uml_option(word);
  });
  return first != arguments.end() && is_uml_option(*first);
}

// One option of CLI11 and what it was given.
struct Bound {
  const OptionRow* row;
  CLI::Option* option;
};

struct BoundVerb {
  const Verb* verb = nullptr;
  CLI::App* app = nullptr;
  std::vector<std::string> operands;
  std::list<std::string> words;  // operands that differ; CLI11 holds on to each
  std::vector<Bound> options;
};

std::vector<Bound> add_options(CLI::App& app, std::span<const OptionRow> rows) {
  std::vector<Bound> bound;
  for (const OptionRow& row : rows) {
    const std::string names(row.name);
    const std::string help(row.help);
    CLI::Option* option = nullptr;
    if (row.value.empty()) {
      option = app.add_flag(names, help);
    } else {
      option = app.add_option_function<std::vector<std::string>>(
          names, [](const std::vector<std::string>&) {}, help);
      const auto values = static_cast<int>(base::split(row.value, ' ').size());
      option->type_name(std::string(row.value))->type_size(values);
      // Without this an option of text would take every word behind it.
      option->allow_extra_args(false);
      if (row.repeated) {
        option->take_all();
      } else {
        option->expected(values)->take_last();
      }
      if (!row.words.empty()) {
        std::vector<std::string> words;
        for (const auto word : base::split(row.words, '|')) words.emplace_back(word);
        option->check(CLI::IsMember(words));
      }
    }
    bound.push_back({&row, option});
  }
  return bound;
}

Call call_of(const BoundVerb& bound) {
  Call call;
  call.operands = bound.operands;
  call.operands.insert(call.operands.end(), bound.words.begin(), bound.words.end());
  for (const Bound& option : bound.options) {
    if (option.option->count() == 0) continue;
    auto& values = call.options[std::string(option.row->name)];
    if (!option.row->value.empty()) values = option.option->results();
  }
  return call;
}

class CommandLine {
 public:
  explicit CommandLine(World& world)
      : world_(world), app_("OpenVPN-compatible tunnels as systemd units", "tunctl") {
    app_.set_help_flag("-h,--help", "Show this help, or a verb's");
    app_.set_version_flag("--version", std::string("tunctl ") + kVersion);
    app_.require_subcommand(0, 1);
    app_.fallthrough();
    globals_ = add_options(app_, global_options());
    for (const Verb& verb : verbs()) add_verb(verb);
  }

  int run(std::vector<std::string> arguments) {
    if (is_uml_line(arguments)) {
      world_.err << "tunctl: that was uml-utilities; use ip tuntap (tunctl(8) is about OpenVPN "
                    "tunnels now)\n";
      return kUsage;
    }
    // The words of a half-typed line are nobody's options.
    if (!arguments.empty() && arguments[0] == "__complete") return complete_words(arguments);
    // What many type first; the page and completion know the option alone.
    if (!arguments.empty() && arguments[0] == "help") {
      arguments.erase(arguments.begin());
      arguments.push_back("--help");
    }
    if (const auto at = unknown_verb(arguments)) return no_such_verb(arguments, *at);
    drop_separator(arguments);
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants a vector
    try {
      app_.parse(arguments);
    } catch (const CLI::CallForHelp&) {
      world_.out << app_.help();
      return kOk;
    } catch (const CLI::CallForVersion&) {
      world_.out << "tunctl " << kVersion << "\n";
      return kOk;
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what(), parsed_words());
    }
    return run_chosen();
  }

 private:
  // A root among the words so far is where the sites are.
  int complete_words(const std::vector<std::string>& arguments) {
    Globals globals;
    for (std::size_t at = 1; at + 2 < arguments.size(); ++at) {
      if (arguments[at] == "--root") globals.root = arguments[at + 1];
    }
    Context context(world_, globals);
    return find_verb("__complete")->run(context, {{arguments.begin() + 1, arguments.end()}, {}});
  }

  // "key gen" is a parser "gen" inside a parser "key".
  CLI::App* parent_of(const Verb& verb) {
    const auto blank = verb.name.find(' ');
    if (blank == std::string_view::npos) return &app_;
    const std::string group(verb.name.substr(0, blank));
    auto& parent = groups_[group];
    if (parent == nullptr) {
      parent = app_.add_subcommand(group, "Make a key, or tell whether two are the same");
      parent->require_subcommand(1);
      parent->fallthrough();
    }
    return parent;
  }

  void add_verb(const Verb& verb) {
    auto bound = std::make_unique<BoundVerb>();
    bound->verb = &verb;
    const std::string name(verb.name.substr(verb.name.find(' ') + 1));
    bound->app = parent_of(verb)->add_subcommand(name, std::string(verb.summary));
    bound->app->fallthrough();
    if (verb.hidden) bound->app->group("");
    bound->options = add_options(*bound->app, verb.options);
    if (!verb.operands.name.empty()) add_operands(*bound);
    bound_.push_back(std::move(bound));
  }

  // CLI11 knows an operand by one word: each of several different ones is one of its own.
  static void add_operands(BoundVerb& bound) {
    const OperandRow& row = bound.verb->operands;
    const auto names = base::split_words(row.name);
    const auto helps = base::split(row.help, '|');
    if (names.size() > 1) {
      for (std::size_t at = 0; at < names.size(); ++at) {
        const std::string help(at < helps.size() ? helps[at] : std::string_view());
        bound.app->add_option(std::string(names[at]), bound.words.emplace_back(), help)
            ->required()
            ->type_name("");
      }
      return;
    }
    CLI::Option* operands =
        bound.app->add_option(std::string(row.name), bound.operands, std::string(row.help));
    operands->expected(row.min == 0 && row.max != 1 ? 0 : 1,
                       row.max < 0 ? CLI::detail::expected_max_vector_size : row.max);
    if (row.min > 0) operands->required();
    operands->type_name("");
  }

  // "key gen " of the verb that was being read; empty if it did not come so far.
  std::string parsed_words() const {
    for (const auto& bound : bound_) {
      if (bound->app->parsed()) return std::string(bound->verb->name) + " ";
    }
    for (const auto& [name, app] : groups_) {
      if (app->parsed()) return name + " ";
    }
    return {};
  }

  static std::string second_words(const std::string& group) {
    std::string words;
    for (const Verb& verb : verbs()) {
      if (!verb.name.starts_with(group)) continue;
      words += (words.empty() ? "" : " or ") + std::string(verb.name.substr(group.size()));
    }
    return words;
  }

  // CLI11's "NAME: At Most 1 required but received 2", in words.
  static std::optional<std::string> too_many_words(const std::string& message) {
    constexpr std::string_view kMost = ": At Most ", kReceived = " required but received ";
    const auto most = message.find(kMost), received = message.find(kReceived);
    if (most == std::string::npos || received == std::string::npos || received < most) {
      return std::nullopt;
    }
    const auto limit = message.substr(most + kMost.size(), received - most - kMost.size());
    return "takes " + limit + " " + message.substr(0, most) + ", not " +
           message.substr(received + kReceived.size());
  }

  int usage_error(const std::string& what, const std::string& verb = {}) {
    std::string message = what;
    std::replace(message.begin(), message.end(), '\n', ' ');
    if (const auto words = too_many_words(message)) {
      message = std::string(base::trim(verb)) + " " + *words;
    }
    if (message == "A subcommand is required") {
      message = "this verb wants a second word: " + second_words(verb);
    }
    world_.err << "tunctl: " << base::trim(message) << "; see `tunctl " << verb << "--help`\n";
    return kUsage;
  }

  // CLI11 takes no operands behind "--" for a verb that can do without them. Where none of them
  // looks like an option, the two dashes say nothing.
  static void drop_separator(std::vector<std::string>& arguments) {
    const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
    if (dashes == arguments.end()) return;
    const bool plain = std::none_of(dashes + 1, arguments.end(), [](const std::string& word) {
      return word.size() > 1 && word.starts_with('-');
    });
    if (plain) arguments.erase(dashes);
  }

  static bool is_verb(const std::string& word) {
    const auto all = verbs();
    return std::any_of(all.begin(), all.end(), [&word](const Verb& verb) {
      return verb.name == word || verb.name.starts_with(word + " ");
    });
  }

  // The place of the first word that is neither an option nor an option's value, if no verb is
  // called so. CLI11 would complain of the words behind it.
  static std::optional<std::size_t> unknown_verb(const std::vector<std::string>& arguments) {
    for (std::size_t at = 0; at < arguments.size(); ++at) {
      const std::string& word = arguments[at];
      if (word == "--root" || word == "--color" || word == "--timeout") ++at;
      if (word.starts_with('-')) continue;
      return is_verb(word) ? std::nullopt : std::optional(at);
    }
    return std::nullopt;
  }

  int no_such_verb(const std::vector<std::string>& arguments, std::size_t at) {
    const std::string& word = arguments[at];
    // "site-a enable", as a person who thinks of the site first says it.
    if (at + 1 < arguments.size() && is_verb(arguments[at + 1])) {
      return usage_error("no verb is called '" + word + "'; did you mean: tunctl " +
                         arguments[at + 1] + " " + word);
    }
    std::vector<std::string_view> names;
    for (const Verb& verb : verbs()) {
      if (!verb.hidden) names.push_back(verb.name);
    }
    const auto near = base::nearest(word, names);
    return usage_error("no verb is called '" + word + "'" +
                       (near ? "; did you mean " + std::string(*near) + "?" : ""));
  }

  Globals globals() const {
    Globals globals;
    for (const Bound& bound : globals_) {
      if (bound.option->count() == 0) continue;
      const std::string name(bound.row->name);
      if (name == "--dry-run") globals.dry_run = true;
      if (name == "-q,--quiet") globals.quiet = true;
      if (name == "-v,--verbose") globals.verbose = static_cast<int>(bound.option->count());
      if (name == "--no-pager") globals.pager = false;
      if (name == "--color") globals.colour = bound.option->results().back();
      if (name == "--root") globals.root = bound.option->results().back();
      if (name == "--timeout") globals.timeout = seconds(bound.option->results().back());
    }
    return globals;
  }

  static base::Duration seconds(const std::string& text) {
    return std::chrono::seconds(base::parse_number<int>(text).value_or(-1));
  }

  // An option that is given nothing, as by a variable of a script that is empty; empty: none is.
  static std::string given_nothing(const Verb& verb, const Call& call) {
    for (const OptionRow& row : verb.options) {
      for (const std::string& value : call.values(row.name)) {
        if (!value.empty()) continue;
        return std::string(row.name) + " is given nothing; write " + synopsis(row) +
               ", or leave it out";
      }
    }
    return {};
  }

  // Empty: each name stands there once.
  static std::string given_twice(const Verb& verb, const Call& call) {
    if (verb.operands.max >= 0) return {};
    std::set<std::string> seen;
    for (const std::string& word : call.operands) {
      if (!seen.insert(word).second) return word + " is given twice";
    }
    return {};
  }

  // All words that should be a site's name and can be none.
  static std::vector<std::string> no_names(const Verb& verb, const Call& call) {
    std::vector<std::string> words;
    const auto look = [&words](WordKind kind, const std::string& word) {
      const bool name = kind == WordKind::kSite || kind == WordKind::kNewName;
      if (name && !site::is_site_name(word)) words.push_back(word);
    };
    for (const std::string& word : call.operands) {
      if (verb.operands.max < 0 || &word == &call.operands.front()) look(verb.operands.kind, word);
    }
    for (const OptionRow& row : verb.options) {
      for (const std::string& value : call.values(row.name)) look(row.kind, value);
    }
    return words;
  }

  // What no verb could make anything of. Units' own verbs answer for themselves: their exit status
  // decides about restarts.
  int check_words(Context& context, const Verb& verb, const Call& call) {
    if (verb.hidden) return kOk;
    for (const std::string& wrong : {given_nothing(verb, call), given_twice(verb, call)}) {
      if (!wrong.empty()) return usage_error(wrong, std::string(verb.name) + " ");
    }
    const auto words = no_names(verb, call);
    for (const std::string& word : words) context.complain(site::no_site_name(word));
    return words.empty() ? kOk : kUsage;
  }

  int run_chosen() {
    const Globals chosen = globals();
    if (chosen.timeout && *chosen.timeout < base::Duration::zero()) {
      return usage_error("--timeout takes a number of seconds");
    }
    if (!chosen.root.empty() && chosen.root[0] != '/') {
      return usage_error("--root takes an absolute path");
    }
    Context context(world_, chosen);
    for (const auto& bound : bound_) {
      if (!bound->app->parsed()) continue;
      const Call call = call_of(*bound);
      if (const int status = check_words(context, *bound->verb, call); status != kOk) return status;
      return bound->verb->run(context, call);
    }
    return find_verb("list")->run(context, {});
  }

  World& world_;
  CLI::App app_;
  std::vector<Bound> globals_;
  std::map<std::string, CLI::App*> groups_;
  std::vector<std::unique_ptr<BoundVerb>> bound_;
};

}  // namespace

int run_command(World& world, std::vector<std::string> arguments) {
  return CommandLine(world).run(std::move(arguments));
}

}  // namespace cli
