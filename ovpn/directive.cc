// SPDX-License-Identifier: Apache-2.0
#include "ovpn/directive.h"

namespace ovpn {

const Directive* Profile::last(std::string_view name) const {
  for (auto it = directives.rbegin(); it != directives.rend(); ++it) {
    if (it->name == name) return &*it;
  }
  return nullptr;
}

std::vector<const Directive*> Profile::all(std::string_view name) const {
  std::vector<const Directive*> found;
  for (const Directive& directive : directives) {
    if (directive.name == name) found.push_back(&directive);
  }
  return found;
}

std::optional<std::string> Profile::arg(std::string_view name, std::size_t index) const {
  const Directive* directive = last(name);
  if (directive == nullptr || index >= directive->args.size()) return std::nullopt;
  return directive->args[index];
}

}  // namespace ovpn
