// SPDX-License-Identifier: Apache-2.0
// The parts of the directive table, each kept in its own file. Read directive_table.h instead.
#pragma once

#include <span>

#include "ovpn/directive_table.h"

namespace ovpn {

inline constexpr int kAnyCount = 15;  // as many as fit on a line

std::span<const DirectiveRow> tunnel_rows();
std::span<const DirectiveRow> tls_rows();
std::span<const DirectiveRow> other_rows();

}  // namespace ovpn
