// SPDX-License-Identifier: Apache-2.0
// The text of stock OpenVPN's management interface (OpenVPN protocol: management interface), for
// whoever watches a stock process. Bytes in, messages out; the socket is the caller's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/time.h"
#include "ovpn/connection_state.h"

namespace ovpn {

struct ManagementHold {  // ">HOLD:": it waits for management_hold_release()
  std::uint32_t wait_seconds = 0;
};
struct ManagementState {  // ">STATE:", and each line of the answer to `state`
  base::UnixSeconds time = 0;
  ConnectionState state = ConnectionState::kInitial;
  std::string detail;       // "SUCCESS", or why it is reconnecting or exiting
  std::string tunnel_ipv4;  // empty if not known, as all below
  std::string remote_address;
  std::string remote_port;
  std::string tunnel_ipv6;
};
struct ManagementByteCount {  // ">BYTECOUNT:", of the link
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};
struct ManagementLog {  // ">LOG:"
  base::UnixSeconds time = 0;
  std::string flags;  // any of F(atal) N(onfatal error) W(arning) I(nfo) D(ebug)
  std::string text;
};
struct ManagementPassword {  // ">PASSWORD:"
  std::string text;          // "Need 'Auth' username/password"
};
struct ManagementFatal {  // ">FATAL:": the process is about to end
  std::string text;
};
struct ManagementNotice {  // any other line with ">"
  std::string kind;        // "INFO"
  std::string text;
};
struct ManagementSuccess {  // "SUCCESS:"
  std::string text;
};
struct ManagementError {  // "ERROR:"
  std::string text;
};
struct ManagementData {  // a line of an answer that ends with END
  std::string text;
};
struct ManagementEnd {};
struct ManagementPasswordPrompt {};  // it wants the interface's own password

using ManagementMessage =
    std::variant<ManagementHold, ManagementState, ManagementByteCount, ManagementLog,
                 ManagementPassword, ManagementFatal, ManagementNotice, ManagementSuccess,
                 ManagementError, ManagementData, ManagementEnd, ManagementPasswordPrompt>;

inline constexpr std::size_t kManagementLineBytesMax = 8192;  // longer ones are dropped whole

// Takes what a socket gives, in any pieces. Used by one thread.
class ManagementReader {
 public:
  void feed(std::string_view bytes);
  std::optional<ManagementMessage> next();  // poll until empty

 private:
  void take_line(std::string_view line);

  std::string partial_;  // the line that has not ended yet
  bool dropping_ = false;
  std::deque<ManagementMessage> messages_;
};

// The comma separated fields of a state, as in ">STATE:" without that word; nothing if malformed
// or in a state we do not know.
std::optional<ManagementState> parse_management_state(std::string_view fields);

// Commands, each with its newline.
std::string management_state_on();
std::string management_state_query();
std::string management_bytecount(std::uint32_t interval_seconds);  // 0 turns it off
std::string management_log_on();
std::string management_hold_release();
std::string management_signal(std::string_view name);  // SIGHUP, SIGTERM, SIGUSR1, SIGUSR2
std::string management_status();
std::string management_exit();  // leaves the interface; the process goes on
// Answers to >PASSWORD; `what` is the word in its quotes, "Auth" or "Private Key". Nothing if a
// value holds a line break or NUL, which the interface cannot carry.
std::optional<std::string> management_username(std::string_view what, std::string_view value);
std::optional<std::string> management_password(std::string_view what, std::string_view value);

}  // namespace ovpn
