// SPDX-License-Identifier: Apache-2.0
// The control channel of one peer as a pure machine (OpenVPN protocol: control channel): bytes and
// time in, bytes and events out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/time.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/crypto/data_keys.h"
#include "fastpath/crypto/find_file.h"

namespace control {

// What the shell must act on, told once each, in order.
struct KeysReady {  // install for receiving at once; for sending as KeyRing's rules say
  crypto::DataKeys keys;
  bool first = false;     // the first of this session: whatever keys were there are void
  std::string peer_name;  // common name, for logs and scripts
  std::optional<base::Endpoint> peer;  // server, with `first`: where this session's peer is
};
struct PushReceived {  // whole and in order, continuations joined, pull-filter applied
  std::vector<std::string> options;
  bool update = false;  // PUSH_UPDATE
};
struct KeyRetired {  // its time is over, and no newer key has taken its place
  std::uint8_t key_id = 0;
};
struct AuthFailed {
  std::string reason;            // the text behind "AUTH_FAILED,"; empty: none given
  bool temporary = false;        // TEMP
  bool session_expired = false;  // SESSION: the token is void, the credentials may still be good
  std::optional<int> backoff_seconds;
  std::string advance;  // "no", "remote", "addr" or empty
};
struct AuthPending {
  std::optional<int> timeout_seconds;
};
struct InfoMessage {  // INFO, INFO_PRE: an URL or a challenge for a person
  std::string text;
};
struct RestartAsked {  // RESTART
  std::string text;
  bool keep_credentials = false;  // [P]
  bool next_remote = false;       // [N]
};
struct PeerExited {  // EXIT, HALT
  bool halt = false;
  std::string text;
};
struct SessionFailed {       // this session is over: connect anew by the tunnel's policy
  std::string reason;        // one line for a person, with the remedy where one is known
  bool lasting = false;      // no retry mends it (our certificate has expired, wrong key file ...)
  bool certificate = false;  // TLS failed at the certificate of either end
};
struct SessionNote {  // worth one log line
  std::string text;
  bool warning = false;
  // Why there is no session, if that is what is told. Nobody gets so far who has neither a key of
  // tls-auth or tls-crypt nor, without those, got to show a certificate.
  std::string reason = {};
  // The option that the peer has otherwise than this end ("tun-mtu"), and how, if that is what is
  // told: a push may settle it yet.
  std::string option = {}, difference = {};
};
using SessionEvent =
    std::variant<KeysReady, PushReceived, KeyRetired, AuthFailed, AuthPending, InfoMessage,
                 RestartAsked, PeerExited, SessionFailed, SessionNote>;

// What a client shows a server; wiped with the value.
struct ShownLogin {
  std::string username, password;
  ~ShownLogin() { base::wipe(password); }
};

struct SessionParts {
  // All files read. Must outlive the session.
  const config::TlsConfig* config = nullptr;
  // Options string (key method 2), without the tls-client/tls-server word's other half: what this
  // end says it is; see ovpn/options_string.h.
  std::string options_string;
  int tun_mtu = 1500;  // for IV_MTU
  // What those around this machine can do beyond 2.6, which is then offered to the peer.
  bool compression = false;        // the server may compress what it sends
  bool epoch_format = false;       // the data channel has DataFormat::kEpoch
  bool push_update = false;        // PushReceived::update is acted on
  bool dns_option_v2 = false;      // 2.7's final `dns` options
  bool stream_transport = false;   // TCP: the session lasts no longer than the connection
  std::size_t link_overhead = 28;  // IP and UDP header, for max-packet-size
  // Unpredictable bytes; the simulation hands in a seeded one (TLS takes the library's own).
  std::function<void(base::MutableByteSpan)> random = {};
  std::function<base::UnixSeconds()> wall_clock = {};  // packet id time, certificate validity
  crypto::FindFile find_file = {};  // for crl-verify DIR dir; not given: nothing can be told
  // Asked for user name and password at each exchange of keys that shows them, in place of what the
  // config holds; a problem ends the session.
  std::function<ShownLogin(std::string& problem)> login = {};
  // What this end can do when a server wants more proof than that (IV_SSO), unless the config says.
  std::string sign_on = {};
  // A token from an earlier session: what it was pushed as. See token_credentials().
  std::optional<std::pair<std::string, std::string>> token = {};
  // What the server pushed to an earlier session from the very same address, if that may have been
  // a moment ago: it may say nothing a second time. As PushReceived had it.
  std::vector<std::string> remembered_push = {};
};

// How far a session has come.
enum class SessionStage {
  kCalling,    // nothing authentic was heard; a server listens
  kHandshake,  // TLS
  kAsking,     // keys were exchanged; a client waits for what the server pushes
  kReady,      // KeysReady was told
};

// Used by one thread. Holds no fd and no clock; handles datagrams as UDP or the framing of TCP
// gives them. Nothing in it changes before a packet authenticated as far as the wrapping can tell.
// After every call: take the events, send the datagrams, set the timer. SessionFailed is the last
// event; datagrams that are left then hold the TLS alert that tells the peer why.
class ControlSession {
 public:
  // Reads keys and certificates. Throws base::FatalError that names the file and the remedy.
  ControlSession(SessionParts parts, base::TimePoint now);
  ~ControlSession();
  ControlSession(const ControlSession&) = delete;
  ControlSession& operator=(const ControlSession&) = delete;

  // Client: the first hard reset is due; server: listens. `peer`: where a server over UDP calls
  // itself, as stock does, which ends whatever session that peer still believes in; it is a hint,
  // and other callers are heard all the same.
  void start(base::TimePoint now, const std::optional<base::Endpoint>& peer = std::nullopt);
  // A packet whose opcode is not data. `from` is for the server's cookie only. True if it is a sign
  // of life of the peer: of the session in use, authentic, as far as the wrapping can tell, and no
  // repetition. What belongs to a session that may only take its place is anybody's.
  bool handle_datagram(base::TimePoint now, const base::Endpoint& from, base::ByteSpan bytes);
  void handle_timeout(base::TimePoint now);  // spurious calls are harmless
  // The next datagram to send, written into `out` (2048 bytes are enough); poll until empty. `to`
  // is set when it must not go to the session's peer but to where a packet came from, as all of a
  // server's do until KeysReady told who the peer is.
  std::optional<std::size_t> next_datagram(base::TimePoint now, base::MutableByteSpan out,
                                           std::optional<base::Endpoint>& to);
  std::optional<base::TimePoint> next_timeout() const;  // may change after every call above
  std::optional<SessionEvent> next_event();
  SessionStage stage() const;
  // The common name of the peer's certificate, from SessionStage::kAsking on; empty before.
  std::string peer_name() const;

  void renegotiate(base::TimePoint now);  // soft reset: SIGUSR... never; limits, bytes, packets
  void send_exit(base::TimePoint now);    // EXIT, where cc-exit was agreed on; else nothing
  bool exit_agreed() const;
  void send_challenge_response(base::TimePoint now, const std::string& answer);  // CR_RESPONSE
  // Server: data from the peer came from a new address, authenticated; control follows.
  void peer_moved(const base::Endpoint& to);
  // The user and auth-token as pushed, for the next session.
  std::optional<std::pair<std::string, std::string>> token_credentials() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace control
