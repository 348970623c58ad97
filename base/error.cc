// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <system_error>

#include "base/printable.h"

namespace base {

std::string to_string(const Place& place) {
  std::string text = place.file;
  for (const std::size_t number : {place.line, place.column}) {
    if (number == 0) break;
    text += (text.empty() ? "" : ":") + std::to_string(number);
  }
  return text;
}

std::string to_string(const Problem& problem) {
  const std::string where = to_string(problem.place);
  std::string text = where.empty() ? problem.message : where + ": " + problem.message;
  if (!problem.remedy.empty()) text += "; " + problem.remedy;
  return printable(text);
}

std::string errno_text(const std::string& what, int error_number) {
  return what + ": " + std::generic_category().message(error_number);
}

}  // namespace base
