// SPDX-License-Identifier: Apache-2.0
#include "ovpn/directive_table.h"

#include <algorithm>
#include <vector>

#include "ovpn/directive_rows.h"

namespace ovpn {
namespace {

std::vector<DirectiveRow> sorted_rows() {
  std::vector<DirectiveRow> rows;
  for (const auto part : {tunnel_rows(), tls_rows(), other_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  std::sort(rows.begin(), rows.end(),
            [](const DirectiveRow& a, const DirectiveRow& b) { return a.name < b.name; });
  return rows;
}

}  // namespace

std::span<const DirectiveRow> directive_table() {
  static const std::vector<DirectiveRow> rows = sorted_rows();
  return rows;
}

const DirectiveRow* find_row(std::string_view name) {
  const auto rows = directive_table();
  const auto row =
      std::lower_bound(rows.begin(), rows.end(), name,
                       [](const DirectiveRow& a, std::string_view b) { return a.name < b; });
  return row != rows.end() && row->name == name ? &*row : nullptr;
}

Directive unwrap_setenv_opt(const Directive& directive) {
  if (directive.name != "setenv" || directive.args.size() < 2 || directive.args[0] != "opt") {
    return directive;
  }
  Directive inner = directive;
  inner.name = directive.args[1];
  inner.args.erase(inner.args.begin(), inner.args.begin() + 2);
  return inner;
}

}  // namespace ovpn
