// SPDX-License-Identifier: Apache-2.0
// How whoever types came onto this machine: who came in over a tunnel can cut it once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace host {

// SSH_CONNECTION ("CLIENT PORT HERE PORT") of this process, else of the nearest process above it
// that has one: sudo takes it out of the environment. Empty: nobody came over ssh.
std::string ssh_connection();

// The network interfaces that such a connection goes through, as the routes are now: the one that
// has this end's address, and the one by which the client is reached. Without doubles.
std::vector<std::string> interfaces_of(std::string_view ssh_connection);

// The tun and tap interfaces whose descriptors process `pid` holds (root's to see).
std::vector<std::string> tunnels_of(int pid);

// Pure parts, for tests.
std::string variable_in(std::string_view environ, std::string_view name);  // of /proc/PID/environ
int parent_in(std::string_view stat);  // of /proc/PID/stat; 0: not understood

}  // namespace host
