// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "ovpn/directive.h"

namespace render {

// What a line of a config has the engine, or OpenSSL in it, run or load, for whoever imports a file
// of somebody else's: "the tunnel runs a program: up /x". Empty: nothing.
std::string foreign_code(const ovpn::Directive& line);

// The last part of a path as Windows writes it ("C:\\vpn\\ca.crt": "ca.crt"); empty: it is none.
std::string windows_file_name(std::string_view path);

}  // namespace render
