// SPDX-License-Identifier: Apache-2.0
// The options that only this engine has, beside OpenVPN's directives.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"
#include "fastpath/engine/dns_plan.h"
#include "ovpn/directive.h"

namespace engine {

enum class ReadyWhen {
  kStarted,    // interface, addresses, routes and socket stand and the loop turns
  kConnected,  // the peer was heard
};

enum class CryptoLibrary {
  kAuto,     // whatever passes its self-test and is faster
  kOpenSsl,  // OpenSSL for every packet
};

struct OwnOptions {
  std::string state_dir;         // --state-dir DIR: what outlives the process
  std::string credentials_file;  // --credentials-file FILE: two lines, for auth-user-pass
  // --ask FILE [COMMAND]: the socket by which a person is asked, and the command that answers
  // there.
  std::string ask_socket, ask_command;
  ReadyWhen ready = ReadyWhen::kStarted;        // --ready started|connected [SECONDS]
  int ready_limit_seconds = 300;                // of kConnected: then it ends, failed
  bool acknowledge_cleartext = false;           // --acknowledge-cleartext
  DnsPolicy dns;                                // --dns pushed|off|ADDRESS...
  CryptoLibrary crypto = CryptoLibrary::kAuto;  // --crypto-library auto|openssl
  std::size_t threads = 0;                      // --threads auto|N: at most so many; 0: auto
  bool resume = true;                           // --resume on|off: see Keeper
  int clock_wait_seconds = 600;                 // --clock-wait SECONDS|off; 0: off, see ClockWait
};
inline constexpr std::size_t kThreadsMax = 16;
inline constexpr int kClockWaitSecondsMax = 86400;

// Takes them out of `profile`, so that the rest is OpenVPN's alone.
OwnOptions take_own_options(ovpn::Profile& profile, base::Problems& problems);

}  // namespace engine
