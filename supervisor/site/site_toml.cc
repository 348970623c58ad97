// SPDX-License-Identifier: Apache-2.0
// The only file that knows toml++. It walks the document along the table of site_keys.h.
#define TOML_EXCEPTIONS 1
#define TOML_HEADER_ONLY 1
#define TOML_ENABLE_FORMATTERS 0
#if __has_include(<toml++/impl/preprocessor.h>)
#include <toml++/impl/preprocessor.h>
#else  // 3.4
#include <toml++/impl/preprocessor.hpp>
#endif
// 3.3 asserts (or assumes) that a key begins behind "[" before it looks; "[=" is then an abort
// rather than the error that the next lines of its parser make of it.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expr) static_assert(true)
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "base/problem_list.h"
#include "base/text.h"
#include "supervisor/site/plain_text.h"
#include "supervisor/site/site.h"
#include "supervisor/site/site_keys.h"

namespace site {
namespace {

base::Place place_at(std::string_view file, const toml::source_region& region) {
  return {std::string(file), region.begin.line, region.begin.column};
}

// "run.watchdog" is written "watchdog" below [run].
std::string written_form(const SiteKey& key) {
  const auto dot = key.path.find('.');
  const std::string line =
      std::string(key.path.substr(dot == std::string_view::npos ? 0 : dot + 1)) + " = " +
      std::string(key.example);
  return dot == std::string_view::npos
             ? line
             : line + " below [" + std::string(key.path.substr(0, dot)) + "]";
}

std::string what_it_takes(const SiteKey& key) {
  const std::string range = std::to_string(key.min) + " to " + std::to_string(key.max);
  switch (key.kind) {
    case KeyKind::kText:
      return "text in quotes";
    case KeyKind::kNumber:
      return "a number from " + range;
    case KeyKind::kSwitch:
      return "true or false";
    case KeyKind::kTexts:
      return "a list of texts";
    case KeyKind::kNumbers:
      return "a list of numbers, each from " + range;
    case KeyKind::kWord:
      break;
  }
  std::string words;
  for (const std::string_view word : base::split(key.words, '|')) {
    words += (words.empty() ? "\"" : " or \"") + std::string(word) + "\"";
  }
  return words;
}

// A line break or another control character could smuggle a directive into the rendered config.
bool is_printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
  });
}

std::optional<std::string> as_text(const toml::node& node) {
  if (const auto number = node.as_integer()) return std::to_string(number->get());
  const auto text = node.as_string();
  if (text == nullptr || !is_printable(text->get())) return std::nullopt;
  return text->get();
}

std::optional<std::vector<std::string>> as_texts(const toml::node& node) {
  std::vector<std::string> texts;
  const toml::array* array = node.as_array();
  if (array == nullptr) {
    const auto single = as_text(node);
    if (!single || node.is_integer()) return std::nullopt;
    return std::vector{*single};
  }
  for (const toml::node& entry : *array) {
    const auto text = as_text(entry);
    if (!text || text->empty()) return std::nullopt;
    texts.push_back(*text);
  }
  return texts;
}

std::optional<int> as_number(const toml::node& node, const SiteKey& key) {
  const auto number = node.as_integer();
  if (number == nullptr || number->get() < key.min || number->get() > key.max) return std::nullopt;
  return static_cast<int>(number->get());
}

std::optional<std::vector<int>> as_numbers(const toml::node& node, const SiteKey& key) {
  std::vector<int> numbers;
  const toml::array* array = node.as_array();
  if (array == nullptr) return std::nullopt;
  for (const toml::node& entry : *array) {
    const auto number = as_number(entry, key);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool is_one_of(std::string_view word, std::string_view words) {
  const auto all = base::split(words, '|');
  return std::find(all.begin(), all.end(), word) != all.end();
}

// The part of a site that a field pointer belongs to.
Site& part(Site& site, const Site*) { return site; }
Described& part(Site& site, const Described*) { return *site.described; }
RunOptions& part(Site& site, const RunOptions*) { return site.run; }
DnsOptions& part(Site& site, const DnsOptions*) { return site.dns; }
Credentials& part(Site& site, const Credentials*) { return site.credentials; }
FarEnd& part(Site& site, const FarEnd*) { return site.far_end; }

// Puts a value into the field its row names. Kinds and field types agree by the table; a row where
// they do not is caught by the test that sets every key.
template <typename V>
struct Store {
  Site& site;
  const V& value;

  template <typename T, typename C>
  void operator()(T C::*member) const {
    if constexpr (std::is_same_v<T, V> || std::is_same_v<T, std::optional<V>>) {
      part(site, static_cast<const C*>(nullptr)).*member = value;
    }
  }
  void operator()(void (*set_word)(Site&, std::string_view)) const {
    if constexpr (std::is_same_v<V, std::string>) set_word(site, value);
  }
};

bool set_value(Site& site, const SiteKey& key, const toml::node& node) {
  const auto keep = [&](const auto& value) {
    using V = std::decay_t<decltype(*value)>;
    if (value) std::visit(Store<V>{site, *value}, key.field);
    return value.has_value();
  };
  switch (key.kind) {
    case KeyKind::kText:
      return keep(as_text(node));
    case KeyKind::kNumber:
      return keep(as_number(node, key));
    case KeyKind::kSwitch:
      return keep(node.value_exact<bool>());
    case KeyKind::kTexts:
      return keep(as_texts(node));
    case KeyKind::kNumbers:
      return keep(as_numbers(node, key));
    case KeyKind::kWord:
      break;
  }
  const auto word = as_text(node);
  if (!word || !is_one_of(*word, key.words)) return false;
  std::visit(Store<std::string>{site, *word}, key.field);
  return true;
}

class SiteReader {
 public:
  SiteReader(std::string_view name, std::string_view file) {
    reading_.site.emplace();
    reading_.site->name = name;
    reading_.site->file = file;
  }

  SiteReading read(const toml::table& root) {
    kept_config_ = root.contains("config");
    if (!kept_config_) site().described.emplace();
    walk(root, "");
    walked_ = true;
    if (!kept_config_ && !described_keys_ && reading_.problems.empty()) {
      add({site().file, 0, 0}, "this site says nothing about its tunnel",
          "write config = \"FILE\", or describe it (`tunctl new` writes an example)");
    }
    return finish();
  }

  SiteReading fail(base::Place place, std::string message, std::string remedy) {
    add(std::move(place), std::move(message), std::move(remedy));
    return finish();
  }

 private:
  Site& site() { return *reading_.site; }

  void add(base::Place place, std::string message, std::string remedy) {
    reading_.problems.push_back({std::move(place), std::move(message), std::move(remedy)});
  }

  SiteReading finish() {
    std::stable_sort(reading_.problems.begin(), reading_.problems.end(),
                     [](const base::Problem& a, const base::Problem& b) {
                       return std::tie(a.place.line, a.place.column) <
                              std::tie(b.place.line, b.place.column);
                     });
    if (!reading_.problems.empty()) {
      if (walked_) reading_.partial = std::move(reading_.site);
      reading_.site.reset();
    }
    return std::move(reading_);
  }

  void walk(const toml::table& table, const std::string& prefix) {
    for (const auto& [key, node] : table) {
      if (reading_.problems.size() >= base::kProblemsMax) return;
      const std::string path = prefix + std::string(key.str());
      const base::Place place = place_at(site().file, key.source());
      if (const toml::table* inner = node.as_table(); inner != nullptr && is_table(path)) {
        walk(*inner, path + ".");
      } else if (const SiteKey* row = find_site_key(path)) {
        take(*row, node, place);
      } else {
        unknown(path, prefix, place, node.is_table());
      }
    }
  }

  static bool is_table(std::string_view path) {
    const auto keys = site_keys();
    return std::any_of(keys.begin(), keys.end(), [&](const SiteKey& key) {
      return key.path.starts_with(path) && key.path.substr(path.size()).starts_with(".");
    });
  }

  void take(const SiteKey& row, const toml::node& node, const base::Place& place) {
    const std::string name(row.path);
    site().places[name] = place;
    if (row.form == KeyForm::kDescribed) described_keys_ = true;
    if (kept_config_ && row.form == KeyForm::kDescribed) {
      add(place, "'" + name + "' describes a tunnel, but this site keeps an OpenVPN config",
          "change it in the file that config names, or take config out");
    } else if (!set_value(site(), row, node)) {
      add(place, "'" + name + "' takes " + what_it_takes(row), "write " + written_form(row));
    }
  }

  // The hint looks among all keys: a key that stands in the wrong table is a common slip.
  void unknown(const std::string& path, const std::string& prefix, const base::Place& place,
               bool table) {
    std::vector<std::string_view> names;
    for (const SiteKey& key : site_keys()) {
      const auto dot = key.path.find('.');
      if (dot != std::string_view::npos && key.path.substr(dot + 1) == path) {
        add(place, "'" + path + "' stands in the wrong table",
            "write it below [" + std::string(key.path.substr(0, dot)) + "]");
        return;
      }
      if (table && dot != std::string_view::npos) names.push_back(key.path.substr(0, dot));
      if (!table) names.push_back(key.path);
    }
    const auto near = base::nearest(path, names);
    std::string remedy = "see tunctl.site(5) for all keys";
    if (near) {
      const auto hint = near->starts_with(prefix) ? near->substr(prefix.size()) : *near;
      remedy = "did you mean " + (table ? "[" + std::string(hint) + "]" : std::string(hint)) + "?";
    }
    add(place, (table ? "unknown table [" + path + "]" : "unknown key '" + path + "'"), remedy);
  }

  SiteReading reading_;
  bool kept_config_ = false;
  bool described_keys_ = false;
  bool walked_ = false;
};

// The parser's own words tell what it saw, not what to do.
std::string_view toml_remedy(std::string_view what, std::string_view bytes) {
  const auto says = [what](std::string_view part) { return what.find(part) != what.npos; };
  if (says("cannot redefine")) return "write it once";
  if (says("utf-8")) return "save the file as UTF-8 text";
  if (says("prohibited")) return "close the quotes on the same line";
  if (bytes.starts_with("<<<<<<<") || bytes.find("\n<<<<<<<") != bytes.npos) {
    return "settle the git conflict and remove the marker lines";
  }
  return "text values need quotes; see tunctl.site(5)";
}

}  // namespace

SiteReading read_site(std::string_view name, std::string_view file, std::string_view bytes) {
  SiteReader reader(name, file);
  if (!is_site_name(name)) {
    return reader.fail({std::string(file), 0, 0}, no_site_name(name), {});
  }
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) {
    return reader.fail({std::string(file), 1, 1}, "the text is UTF-16, not UTF-8",
                       "save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  }
  if (const auto nul = bytes.find('\0'); nul != bytes.npos) {
    const auto before = bytes.substr(0, nul);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    return reader.fail({std::string(file), static_cast<std::size_t>(line), 0},
                       "the text holds a NUL byte", "give a plain text file in UTF-8");
  }
  if (const auto at = find_foreign_character(bytes)) {
    return reader.fail({std::string(file), at->line, at->column},
                       "a character beyond ASCII outside of quotes",
                       "write plain quotes (\") and blanks here; text in quotes may hold any");
  }
  try {
    return reader.read(toml::parse(bytes, std::string(file)));
  } catch (const toml::parse_error& error) {
    const std::string_view what = error.description();
    return reader.fail(place_at(file, error.source()), "not TOML: " + std::string(what),
                       std::string(toml_remedy(what, bytes)));
  }
}

}  // namespace site
