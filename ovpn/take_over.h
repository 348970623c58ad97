// SPDX-License-Identifier: Apache-2.0
// What both programs must know alike of a tunnel that outlives its engine: the names under which
// the service manager keeps descriptors, files of the state folder, and how an engine is told that
// another one follows.
#pragma once

#include <signal.h>

#include <array>

namespace ovpn {

// FDNAME= of sd_pid_notify_with_fds(3), and a word of LISTEN_FDNAMES.
inline constexpr const char* kKeptDevice = "tun";
inline constexpr const char* kKeptSocket = "udp";
inline constexpr const char* kKeptState = "state";
inline constexpr std::array kKeptNames{kKeptDevice, kKeptSocket, kKeptState};

// Files in a state folder: one that tells --undo that the next run takes over, and one with the last
// packet time that was used, in seconds since 1970.
inline constexpr const char* kComesBack = "comes-back";
inline constexpr const char* kPacketTime = "packet-time";

// RestartKillSignal= of the unit: end without a farewell, another engine takes over.
inline int leave_signal() { return SIGRTMIN + 1; }

}  // namespace ovpn
