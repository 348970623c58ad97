// SPDX-License-Identifier: Apache-2.0
// The part of config_errors() that looks at one value at a time: numbers, choices, ports, names of
// ciphers and digests, addresses and routes. Private to this room but for the two predicates.
#pragma once

#include <string_view>

#include "ovpn/directive.h"

namespace ovpn {

// As bind(2) and getaddrinfo(3) together take a port: 1 to 65535, or a service's name.
bool is_port(std::string_view text);

// Digits and dots, or something with a colon: meant as an address, never as a host's name.
bool looks_like_address(std::string_view text);

// Each adds what is wrong with the effective profile (ovpn/profile_file.h), with its place.
void find_number_errors(const Profile& profile, base::Problems& problems);
void find_name_errors(const Profile& profile, base::Problems& problems);
void find_host_errors(const Profile& profile, base::Problems& problems);  // host_words.cc
void find_tls_value_errors(const Profile& profile, base::Problems& problems);
void find_address_errors(const Profile& profile, base::Problems& problems);

}  // namespace ovpn
