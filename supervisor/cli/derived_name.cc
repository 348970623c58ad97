// SPDX-License-Identifier: Apache-2.0
#include "supervisor/cli/derived_name.h"

#include "supervisor/site/site.h"

namespace cli {

std::string derived_name(std::string_view wish) {
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
  return name.empty() || site::is_taken_name(name) ? "site" : name;
}

}  // namespace cli
