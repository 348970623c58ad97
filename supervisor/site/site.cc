// SPDX-License-Identifier: Apache-2.0
#include "supervisor/site/site.h"

#include <algorithm>

namespace site {
namespace {

constexpr std::size_t kNameCharsMax = 15;  // IFNAMSIZ, less the terminating zero

bool is_first(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_later(char c) { return is_first(c) || c == '_' || c == '-'; }

}  // namespace

bool is_site_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameCharsMax && is_first(name.front()) &&
         std::all_of(name.begin(), name.end(), is_later);
}

bool is_tls_server(const Described& tunnel) {
  return tunnel.role.empty() ? tunnel.remote.empty() : tunnel.role == "server";
}

base::Place Site::place_of(std::string_view key) const {
  const auto found = places.find(key);
  return found == places.end() ? base::Place{file, 0, 0} : found->second;
}

}  // namespace site
