// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/derived_name.h"

#include "supervisor/site/site.h"

namespace cli {
namespace {

// What of it can be part of a name; may be empty, or a name that is taken.
std::string letters_of(std::string_view wish) {
  std::string name;
  for (char c : wish) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (fits) name += c;
    if (!fits && !name.empty() && name.back() != '-') name += '-';
  }
  name = name.substr(0, kNameCharsMax);
  while (!name.empty() && (name.back() == '-' || name.back() == '_')) name.pop_back();
  while (!name.empty() && name.front() == '_') name.erase(0, 1);
  return name;
}

}  // namespace

std::string derived_name(std::string_view wish) {
  const std::string name = letters_of(wish);
  if (name.empty()) return "site";
  return site::is_taken_name(name) ? name + "-1" : name;
}

std::string why_derived(std::string_view wish) {
  const std::string name = letters_of(wish);
  if (!name.empty() && !site::is_taken_name(name)) return {};
  return "the site is called " + derived_name(wish) + ": " +
         (name.empty() ? "nothing of '" + std::string(wish) + "' can be part of a site's name"
                       : "'" + name + "' means something else as an interface's name") +
         "; --as gives it another one";
}

}  // namespace cli
