// SPDX-License-Identifier: Apache-2.0
// What an engine says about itself, in three shapes: the status file, the dump of SIGUSR2, and the
// status line for the service manager. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/engine/worker.h"
#include "ovpn/connection_state.h"
#include "ovpn/status_line.h"

namespace engine {

// What seals and opens the packets; empty: nothing does, or no key is there yet.
struct CipherInUse {
  std::string description;  // see describe_cipher()
  std::string library;      // see cipher_library()
};

// As OpenVPN writes it for a point-to-point tunnel, in any status-version, with more lines: the
// cipher in use, and each reason that packets were dropped for. `updated` is local time, already
// formatted.
std::string status_file_text(const WorkerReport& report, const CipherInUse& cipher,
                             const std::string& updated);

// One line each, for the log.
std::vector<std::string> status_dump(const WorkerReport& report, ovpn::ConnectionState state,
                                     const CipherInUse& cipher,
                                     const std::string& options_difference);

ovpn::StatusLine status_line(const WorkerReport& report, ovpn::ConnectionState state,
                             base::UnixSeconds since, base::TimePoint now);

// What an end in TLS mode waits for that nobody has called or answered yet; empty: for an answer,
// as the state itself says. `no_remote`: the config names none.
std::string waiting_text(config::TlsRole role, bool no_remote);

// What a person is told while packets of the link itself come out of the tunnel.
std::string loop_text(const base::Endpoint& remote);

// "from 10.0.0.9:2011: authentication failed: key, direction, cipher or auth differ". `no_remote`:
// the config names none, so that only the peer of the session is known.
std::string notice_text(const DropNotice& notice, bool no_remote = false);

}  // namespace engine
