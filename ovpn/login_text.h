// SPDX-License-Identifier: Apache-2.0
// The small files in which OpenVPN keeps what a person knows: user name and password, a line each
// (auth-user-pass, http-proxy-user-pass, socks-proxy), or a passphrase on one line (askpass). More
// lines are not looked at (OpenVPN protocol: auth-user-pass file).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ovpn {

enum class LoginKind {
  kServer,      // user name and password
  kServerUser,  // the user name alone (2.7's `auth-user-pass username-only`)
  kPassphrase,
  kProxy  // user name and password, which may be empty
};

// Of one line: USER_PASS_LEN of an OpenVPN with PKCS#11, without its NUL.
inline constexpr std::size_t kLoginLineBytesMax = 4095;
// What stands for the password of `auth-user-pass username-only`, in the file as on the wire.
inline constexpr const char* kBlankPassword = "[[BLANK]]";

// Without their ends, which may be those of any system; those that are not there are left out. The
// copies are the caller's to wipe.
std::vector<std::string> first_lines(std::string_view text, std::size_t count);

// What is wrong with such a text, in a clause; empty if nothing is.
std::string login_error(std::string_view text, LoginKind kind);

}  // namespace ovpn
