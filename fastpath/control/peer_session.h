// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "fastpath/control/control_session.h"
#include "fastpath/control/key_material.h"
#include "fastpath/control/key_state.h"
#include "fastpath/control/negotiation.h"
#include "fastpath/control/push_dialogue.h"
#include "fastpath/control/text_message.h"
#include "fastpath/control/wrap_channel.h"
#include "fastpath/control/wrap_key.h"

namespace control {

// What all sessions of one tunnel share; outlives them.
struct SessionCommon {
  // Throws base::FatalError as ControlSession's constructor says.
  explicit SessionCommon(SessionParts given);

  SessionParts parts;
  crypto::Library library;
  WrapKey wrap_key;
  std::unique_ptr<crypto::TlsContext> tls;
  LocalAbilities local;
  // auth-token as pushed: user (empty: the configured one) and token.
  std::optional<std::pair<std::string, std::string>> token;

  // Fills `to` with what nobody can foresee.
  void unpredictable(base::MutableByteSpan to) const {
    const auto& source = parts.random;
    source(to);
  }
  const config::TlsConfig& config() const { return *parts.config; }
  config::TlsRole role() const { return config().role; }
};

enum class Heard { kTaken, kSeenBefore, kRefused };

// One pair of session ids: the key in use, the one before it, and the talk inside (OpenVPN
// protocol: key state, soft reset, lame duck). Used by one thread.
class PeerSession {
 public:
  // How a server that kept no state goes on: its id was a cookie.
  struct Cookie {
    wire::SessionId own, remote;
    base::Endpoint from;
  };

  // A server without a cookie speaks first, to where its peer was: set_peer_address().
  PeerSession(SessionCommon& common, base::TimePoint now, const Cookie* cookie = nullptr);

  // Nothing changed unless the packet was taken: authentic, of this session and not a repetition.
  Heard handle(base::TimePoint now, const ControlHead& head, base::ByteSpan datagram);
  void handle_timeout(base::TimePoint now);
  std::optional<std::size_t> next_datagram(base::TimePoint now, base::MutableByteSpan out);
  std::optional<base::TimePoint> next_timeout() const;
  std::optional<SessionEvent> next_event();

  void renegotiate(base::TimePoint now);
  void send_text(base::TimePoint now, const std::string& text);

  bool knows_peer() const { return remote_.has_value(); }
  bool is_of(const wire::SessionId& sender) const { return remote_ == sender; }
  const wire::SessionId& own_id() const { return own_; }
  const std::optional<base::Endpoint>& peer_address() const { return from_; }
  void set_peer_address(const base::Endpoint& to) { from_ = to; }
  const std::optional<Negotiated>& agreed() const { return agreed_; }
  const std::string& peer_name() const { return peer_name_; }
  bool keys_told() const { return keys_told_; }
  bool exchanged() const { return primary_->active; }
  base::TimePoint began() const { return began_; }
  // A renegotiation failed: the old key still serves, but a new session is wanted.
  bool stale() const { return stale_; }
  bool over() const { return over_; }

 private:
  struct Key {
    KeyState state;
    base::TimePoint began;
    KeySource own, peer;
    bool sent = false, got = false;  // key method 2
    bool active = false;             // both, and the peer has ours
    bool ready = false;              // told
    std::optional<base::TimePoint> renegotiate_at;
    base::TimePoint dies{};  // of the lame duck
  };

  // peer_session.cc: packets, timers
  KeyState::Parts key_parts(std::uint8_t key_id, wire::Opcode reset, bool resets_done) const;
  WrapChannel& channel_for(std::uint8_t key_id);
  bool may_come(const ControlHead& head) const;
  bool may_soft_reset(const ControlHead& head) const;
  void soft_reset(base::TimePoint now);
  void progress(base::TimePoint now);
  void key_failed(base::TimePoint now, const std::string& why);
  void check_windows(base::TimePoint now);
  std::string silence_text() const;
  void fail(const std::string& why, bool lasting = false, bool certificate = false);
  void note(const std::string& text, bool warning = false);
  void tell(SessionEvent event);

  // key_exchange.cc: key method 2 and the keys
  void exchange(base::TimePoint now);
  void send_key_method(base::TimePoint now, Key& key);
  bool take_login(KeyMethodTexts& texts);
  void take_key_method(Key& key, base::ByteSpan record);
  void take_key_texts(const KeyMethodTexts& texts);
  void warn_of_options(const std::string& received);
  void become_active(base::TimePoint now, Key& key);
  void make_keys(base::TimePoint now, Key& key);
  void agree_with_peer(Key& key);
  std::optional<base::SecretBytes> key_material(Key& key);
  bool start_dynamic_tls_crypt(Key& key);

  // session_texts.cc: the texts inside TLS
  void take_record(base::TimePoint now, base::ByteSpan record);
  void take_text(base::TimePoint now, const std::string& text);
  void decline(TextKind kind, const std::string& text);
  void take_push_reply(base::TimePoint now, std::string_view rest);
  void take_push_update(std::string_view rest);
  void compare_with_memory(std::vector<std::string> options);
  void finish_pull(base::TimePoint now);
  void keep_token(const PushedTerms& terms);

  SessionCommon& common_;
  const base::TimePoint began_;
  const bool calls_;  // sends the first packet of the session
  wire::SessionId own_;
  std::optional<wire::SessionId> remote_;
  std::optional<base::Endpoint> from_;
  WrapChannel wrap_;
  std::optional<WrapChannel> dynamic_wrap_;
  std::optional<Key> primary_, lame_;
  PeerInfo peer_info_;
  std::string peer_options_, peer_name_;
  std::optional<Negotiated> agreed_;
  PushDialogue push_, update_;
  std::vector<std::string> by_memory_;  // what was agreed on without a word of the server's
  bool keys_told_ = false, stale_ = false, over_ = false;
  bool wants_renegotiation_ = false;
  std::deque<SessionEvent> events_;
};

}  // namespace control
