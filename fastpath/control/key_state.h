// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/time.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/control/control_packet.h"
#include "fastpath/control/reliable_receiver.h"
#include "fastpath/control/reliable_sender.h"
#include "fastpath/crypto/tls_session.h"

namespace control {

// One key id of a session: its own reset, messages and TLS connection (OpenVPN protocol: every key
// id has its own). Records of TLS come out and go in. Used by one thread.
class KeyState {
 public:
  struct Parts {
    const crypto::TlsContext& tls;
    std::uint8_t key_id = 0;
    wire::Opcode reset{};      // what this end begins with
    bool resets_done = false;  // exchanged already, by a server without state
    base::Duration retransmit{std::chrono::seconds(2)};
    std::size_t payload_max = 0;      // of one message
    std::size_t payload_max_wkc = 0;  // with the wrapped client key behind it; 0: we have none
  };
  // What goes into one packet; the payload lives until the next call.
  struct Outgoing {
    wire::Opcode opcode{};
    ControlBody body;  // without acked_session
  };

  KeyState(const Parts& parts, base::TimePoint now);

  // An authenticated packet of this key id. `wall`: what certificates are checked by.
  void handle(base::TimePoint now, base::UnixSeconds wall, wire::Opcode opcode,
              const ControlBody& body);
  std::optional<base::SecretBytes> read_record();
  bool write_record(base::TimePoint now, base::ByteSpan text);  // once established()
  std::optional<Outgoing> next_outgoing(base::TimePoint now);
  std::optional<base::TimePoint> next_timeout() const;

  std::uint8_t key_id() const { return parts_.key_id; }
  bool heard_peer() const { return peer_reset_; }
  bool established() const { return tls_ && tls_->established() && !failed(); }
  bool all_acknowledged() const;
  bool failed() const { return !failure_.empty(); }
  const std::string& failure() const { return failure_; }
  bool failed_at_certificate() const { return tls_ && tls_->failed_at_certificate(); }
  crypto::TlsSession& tls() { return *tls_; }  // only if established()

 private:
  void take_messages(base::TimePoint now);
  void take_reset(base::TimePoint now, const ReliableReceiver::Message& message);
  void start_tls(base::UnixSeconds wall);
  void pump(base::TimePoint now);  // TLS output into messages, as far as the window lets it

  const Parts parts_;
  ReliableSender sender_;
  ReliableReceiver receiver_;
  std::unique_ptr<crypto::TlsSession> tls_;
  bool peer_reset_ = false;
  bool resend_wrapped_key_ = false;
  std::size_t fed_ = 0;  // bytes to TLS before it was established
  std::string failure_;
};

}  // namespace control
