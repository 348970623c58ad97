// SPDX-License-Identifier: Apache-2.0
// The table "site key - directive": one row for every key a site file may hold. It drives reading
// (unknown keys, kinds, ranges), rendering, and is mirrored in tunctl.site(5), which a test
// compares.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "supervisor/site/site.h"

namespace site {

enum class KeyForm { kBoth, kDescribed, kConfig };

enum class KeyKind {
  kText,     // "text"; a bare number is taken as its text
  kWord,     // one of `words`
  kNumber,   // from `min` to `max`
  kSwitch,   // true or false
  kTexts,    // ["a", "b"]; a single "a" is a list of one
  kNumbers,  // [10, 60], each from `min` to `max`
};

// How a described key becomes lines of the OpenVPN config.
enum class Emit {
  kNothing,  // tunctl's own
  kLine,     // one line: the directive, then the value's words or entries
  kEach,     // one line for each entry, split into words
  kSpecial,  // render has code for it
};

// Where the value is kept. The last one is for words: it gets the word.
using KeyField = std::variant<
    std::string Site::*, std::vector<std::string> Site::*, bool Site::*, std::string Described::*,
    std::optional<int> Described::*, bool Described::*, std::vector<std::string> Described::*,
    std::vector<int> Described::*, std::string RunOptions::*, int RunOptions::*, bool RunOptions::*,
    std::string Credentials::*, std::string FarEnd::*, std::vector<std::string> FarEnd::*,
    std::vector<std::string> DnsOptions::*, void (*)(Site&, std::string_view)>;

struct SiteKey {
  std::string_view path;       // with its table: "run.cpus"
  std::string_view directive;  // of OpenVPN; empty: tunctl's own
  Emit emit;
  KeyForm form;
  KeyKind kind;
  std::string_view words;    // of kWord, separated by '|'
  std::int64_t min, max;     // of kNumber and kNumbers
  std::string_view example;  // a value as a site file writes it; remedies show it
  KeyField field;
};

std::span<const SiteKey> site_keys();  // in the order a person would write them
const SiteKey* find_site_key(std::string_view path);

std::string_view to_string(EngineChoice choice);  // "auto", "fastpath", "openvpn"
std::string_view to_string(Ready ready);          // "started", "connected"
std::string_view to_string(Mode mode);            // "fingerprint", "pki", "static-key", "none"

}  // namespace site
