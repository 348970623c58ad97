// SPDX-License-Identifier: Apache-2.0
// A client that pulls and a server that says what a test lets it say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "fastpath/control/peer_session.h"
#include "tests/support/control_world.h"

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr base::TimePoint kStart{seconds(1000)};

// Without IV bits that a server of our kind acts on, keys come from the PRF.
config::TlsConfig talking_server() {
  config::TlsConfig config = support::server_config();
  config.negotiation.fallback = "AES-256-GCM";
  return config;
}

class Talk : public testing::Test {
 protected:
  Talk() {
    client_config_.pull.pull = true;
    client_config_.credentials.wanted = true;
    client_config_.credentials.username = "jo";
    client_config_.credentials.password = "secret";
  }

  void begin() {
    client_.emplace(parts(client_config_), now_);
    client_->start(now_);
    common_ = std::make_unique<control::SessionCommon>(parts(server_config_));
    const base::Bytes first = client_datagrams().at(0);
    const control::PeerSession::Cookie cookie{
        wire::SessionId{{9, 9, 9, 9, 9, 9, 9, 9}}, control::parse_head(first)->session, {}};
    server_ = std::make_unique<control::PeerSession>(*common_, now_, &cookie);
    client_->handle_datagram(now_, {}, support::first_answer(cookie));
    shuttle();
  }

  // The server talks as soon as keys were exchanged.
  void say(const std::string& text) {
    server_->send_text(now_, text);
    shuttle();
  }
  void pass(base::Duration span) {
    const auto limit = now_ + span;
    while (now_ < limit) {
      const auto next = client_->next_timeout();
      now_ = next && *next > now_ ? std::min(limit, *next) : std::min(limit, now_ + seconds(1));
      shuttle();
    }
  }

  config::TlsConfig client_config_ = support::client_config();
  config::TlsConfig server_config_ = talking_server();
  std::optional<control::ControlSession> client_;
  std::vector<control::KeysReady> keys_;
  std::vector<control::PushReceived> pushes_;
  std::vector<control::AuthFailed> auth_failures_;
  std::vector<control::RestartAsked> restarts_;
  std::vector<control::PeerExited> exits_;
  std::vector<std::string> failures_, warnings_, notes_, infos_, server_notes_;
  std::vector<std::optional<int>> pendings_;
  base::TimePoint now_ = kStart;
  bool push_update_ = false;
  std::vector<std::string> remembered_;  // of an earlier session

 private:
  control::SessionParts parts(const config::TlsConfig& config) {
    control::SessionParts parts;
    parts.config = &config;
    parts.push_update = push_update_;
    parts.remembered_push = remembered_;
    parts.random = [this](base::MutableByteSpan to) {
      for (std::uint8_t& byte : to) byte = static_cast<std::uint8_t>(random_());
    };
    parts.wall_clock = [] { return support::kTestNow; };
    return parts;
  }

  std::vector<base::Bytes> client_datagrams() {
    std::vector<base::Bytes> all;
    std::array<std::uint8_t, 2048> out;
    std::optional<base::Endpoint> to;
    while (const auto size = client_->next_datagram(now_, out, to)) {
      all.emplace_back(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(*size));
    }
    return all;
  }

  void shuttle() {
    for (int turn = 0; turn < 30; ++turn) {
      client_->handle_timeout(now_);
      server_->handle_timeout(now_);
      for (const base::Bytes& bytes : client_datagrams()) {
        server_->handle(now_, *control::parse_head(bytes), bytes);
      }
      base::Bytes out(2048);
      while (const auto size = server_->next_datagram(now_, out)) {
        client_->handle_datagram(now_, {}, base::ByteSpan(out).first(*size));
      }
    }
    while (auto event = client_->next_event()) sort_event(std::move(*event));
    while (auto event = server_->next_event()) {
      if (auto* note = std::get_if<control::SessionNote>(&*event)) {
        server_notes_.push_back(note->text);
      }
    }
  }

  void sort_event(control::SessionEvent event) {
    if (auto* keys = std::get_if<control::KeysReady>(&event)) keys_.push_back(std::move(*keys));
    if (auto* push = std::get_if<control::PushReceived>(&event)) pushes_.push_back(*push);
    if (auto* failed = std::get_if<control::AuthFailed>(&event)) auth_failures_.push_back(*failed);
    if (auto* restart = std::get_if<control::RestartAsked>(&event)) restarts_.push_back(*restart);
    if (auto* exited = std::get_if<control::PeerExited>(&event)) exits_.push_back(*exited);
    if (auto* over = std::get_if<control::SessionFailed>(&event)) failures_.push_back(over->reason);
    if (auto* info = std::get_if<control::InfoMessage>(&event)) infos_.push_back(info->text);
    if (auto* pending = std::get_if<control::AuthPending>(&event)) {
      pendings_.push_back(pending->timeout_seconds);
    }
    if (auto* note = std::get_if<control::SessionNote>(&event)) {
      (note->warning ? warnings_ : notes_).push_back(note->text);
    }
  }

  std::mt19937_64 random_{7};
  std::unique_ptr<control::SessionCommon> common_;
  std::unique_ptr<control::PeerSession> server_;
};

constexpr const char* kReply = "PUSH_REPLY,ifconfig 10.8.0.2 255.255.255.0,cipher AES-256-GCM";

TEST_F(Talk, AnUnaskedReplyIsTaken) {
  begin();
  say(kReply);
  ASSERT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(pushes_[0].options,
              ElementsAre("ifconfig 10.8.0.2 255.255.255.0", "cipher AES-256-GCM"));
  ASSERT_EQ(keys_.size(), 1u);
  EXPECT_EQ(keys_[0].keys.cipher, "AES-256-GCM");
  EXPECT_FALSE(keys_[0].keys.peer_id);
  EXPECT_THAT(failures_, IsEmpty());
}

TEST_F(Talk, AsksUntilItIsAnsweredAndGivesUpAfterTheHandWindow) {
  begin();
  const auto requests = [this] { return server_notes_.size() - 1; };  // the first is about TLS
  EXPECT_EQ(requests(), 0u);
  pass(milliseconds(400));
  EXPECT_EQ(requests(), 1u);
  pass(seconds(10));
  EXPECT_EQ(requests(), 3u);
  pass(seconds(50));
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("PUSH_REQUEST")));
}

// OpenVPN protocol: within 30 s a server answers the same address only once.
TEST_F(Talk, WhatASilentServerSaidBeforeStands) {
  remembered_ = {"ifconfig 10.8.0.2 255.255.255.0", "cipher AES-256-GCM", "peer-id 7",
                 "auth-token OLD"};
  begin();
  pass(milliseconds(2900));
  EXPECT_THAT(pushes_, IsEmpty());
  pass(milliseconds(200));
  ASSERT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(pushes_[0].options,
              ElementsAre("ifconfig 10.8.0.2 255.255.255.0", "cipher AES-256-GCM", "peer-id 7"));
  ASSERT_EQ(keys_.size(), 1u);
  EXPECT_EQ(keys_[0].keys.peer_id, 7u);
  EXPECT_FALSE(client_->token_credentials());
  // It speaks after all: the same, and then a token alone, changes nothing.
  say("PUSH_REPLY,auth-token NEW,ifconfig 10.8.0.2 255.255.255.0,cipher AES-256-GCM,peer-id 7");
  say("PUSH_REPLY,auth-token NEWER");
  EXPECT_THAT(failures_, IsEmpty());
  EXPECT_EQ(pushes_.size(), 1u);
  ASSERT_TRUE(client_->token_credentials());
  EXPECT_EQ(client_->token_credentials()->second, "NEWER");
}

TEST_F(Talk, AServerThatSaysSomethingElseAfterAllIsAskedAnew) {
  remembered_ = {"ifconfig 10.8.0.2 255.255.255.0", "cipher AES-256-GCM"};
  begin();
  pass(seconds(4));
  ASSERT_EQ(pushes_.size(), 1u);
  say("PUSH_REPLY,ifconfig 10.9.0.2 255.255.255.0,cipher AES-256-GCM");
  ASSERT_EQ(pushes_.size(), 2u);
  EXPECT_THAT(pushes_[1].options,
              ElementsAre("ifconfig 10.9.0.2 255.255.255.0", "cipher AES-256-GCM"));
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("other options")));
}

TEST_F(Talk, AServerThatSpeaksIsNotAnsweredFor) {
  remembered_ = {"ifconfig 10.8.0.2 255.255.255.0", "cipher AES-256-GCM"};
  begin();
  say("AUTH_PENDING,timeout 150");
  pass(seconds(20));
  EXPECT_THAT(pushes_, IsEmpty());
  say(kReply);
  EXPECT_EQ(pushes_.size(), 1u);
}

TEST_F(Talk, PendingAuthenticationExtendsTheWait) {
  begin();
  say("AUTH_PENDING,timeout 150");
  say("INFO_PRE,WEB_AUTH::https://example.org/");
  EXPECT_THAT(pendings_, ElementsAre(150));
  EXPECT_THAT(infos_, ElementsAre("WEB_AUTH::https://example.org/"));
  pass(seconds(140));
  EXPECT_THAT(failures_, IsEmpty());
  say(kReply);
  EXPECT_EQ(keys_.size(), 1u);
}

TEST_F(Talk, ContinuationsAreJoined) {
  begin();
  say("PUSH_REPLY,route 10.1.0.0 255.255.0.0,push-continuation 2");
  EXPECT_THAT(pushes_, IsEmpty());
  say("PUSH_REPLY,cipher AES-256-GCM,push-continuation 1");
  ASSERT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(pushes_[0].options, ElementsAre("route 10.1.0.0 255.255.0.0", "cipher AES-256-GCM"));
}

TEST_F(Talk, AThousandContinuationsAreTooMany) {
  begin();
  for (int i = 0; i < 1000 && failures_.empty(); ++i) say("PUSH_REPLY,push-continuation 2");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("more options than are taken")));
}

TEST_F(Talk, FiltersChooseByPrefixInOrder) {
  using Action = config::PullFilter::Action;
  client_config_.pull.filters = {{Action::kAccept, "route 10."}, {Action::kIgnore, "route"}};
  begin();
  say("PUSH_REPLY,route 10.1.0.0, route 192.168.0.0,cipher AES-256-GCM");
  ASSERT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(pushes_[0].options, ElementsAre("route 10.1.0.0", "cipher AES-256-GCM"));
}

TEST_F(Talk, AFilterMayRejectTheServer) {
  client_config_.pull.filters = {{config::PullFilter::Action::kReject, "redirect-gateway"}};
  begin();
  say("PUSH_REPLY,redirect-gateway def1");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("redirect-gateway def1")));
  EXPECT_THAT(keys_, IsEmpty());
}

TEST_F(Talk, ACipherThatIsNotAllowedIsRefused) {
  begin();
  say("PUSH_REPLY,cipher BF-CBC");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("cipher BF-CBC, which data-ciphers")));
}

TEST_F(Talk, UnknownFlagsAndDerivationsAreRefused) {
  begin();
  say("PUSH_REPLY,cipher AES-256-GCM,protocol-flags cc-exit fly");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("'fly'")));
}

TEST_F(Talk, EpochKeysThatWereNotOfferedAreRefused) {
  begin();
  say("PUSH_REPLY,cipher AES-256-GCM,peer-id 0,protocol-flags tls-ekm aead-epoch");
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("aead-epoch")));
}

TEST_F(Talk, TermsOfTheReplyAreKept) {
  begin();
  say("PUSH_REPLY,cipher AES-256-GCM,peer-id 77,protocol-flags cc-exit tls-ekm dyn-tls-crypt");
  ASSERT_EQ(keys_.size(), 1u);
  EXPECT_EQ(keys_[0].keys.peer_id, 77u);
  EXPECT_TRUE(client_->exit_agreed());
}

TEST_F(Talk, TokensAreKeptAndNotToldToOthers) {
  begin();
  say(std::string(kReply) + ",auth-token SESS_ID_AT_abc,auth-token-user am8y");
  ASSERT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(pushes_[0].options, testing::Not(testing::Contains(HasSubstr("auth-token"))));
  EXPECT_EQ(client_->token_credentials(),
            (std::pair{std::string("jo2"), std::string("SESS_ID_AT_abc")}));
  say("PUSH_REPLY,auth-token SESS_ID_AT_def");
  EXPECT_EQ(client_->token_credentials()->second, "SESS_ID_AT_def");
  EXPECT_EQ(pushes_.size(), 1u);
  EXPECT_EQ(keys_.size(), 1u);
}

TEST_F(Talk, FailedAuthenticationComesInItsVariants) {
  begin();
  say("AUTH_FAILED");
  say("AUTH_FAILED,wrong password");
  say("AUTH_FAILED,SESSION: token expired");
  say("AUTH_FAILED,TEMP[backoff 42,advance no]: come back later");
  say("AUTH_FAILED,TEMP");
  ASSERT_EQ(auth_failures_.size(), 5u);
  EXPECT_EQ(auth_failures_[0].reason, "");
  EXPECT_EQ(auth_failures_[1].reason, "wrong password");
  EXPECT_TRUE(auth_failures_[2].session_expired);
  EXPECT_TRUE(auth_failures_[3].temporary);
  EXPECT_EQ(auth_failures_[3].backoff_seconds, 42);
  EXPECT_EQ(auth_failures_[3].advance, "no");
  EXPECT_EQ(auth_failures_[3].reason, "come back later");
  EXPECT_TRUE(auth_failures_[4].temporary);
}

TEST_F(Talk, RestartHaltAndExitAreToldApart) {
  begin();
  say("RESTART");
  say("RESTART,[NP]moving");
  say("HALT,closed");
  say("EXIT");
  ASSERT_EQ(restarts_.size(), 2u);
  EXPECT_FALSE(restarts_[0].keep_credentials || restarts_[0].next_remote);
  EXPECT_TRUE(restarts_[1].keep_credentials && restarts_[1].next_remote);
  EXPECT_EQ(restarts_[1].text, "moving");
  ASSERT_EQ(exits_.size(), 2u);
  EXPECT_TRUE(exits_[0].halt);
  EXPECT_FALSE(exits_[1].halt);
}

TEST_F(Talk, UpdatesAreTakenOnlyIfThatWasOffered) {
  begin();
  say(kReply);
  say("PUSH_UPDATE,route 10.9.0.0 255.255.0.0");
  EXPECT_EQ(pushes_.size(), 1u);
  EXPECT_THAT(warnings_, testing::Contains(HasSubstr("changes its options")));
}

TEST_F(Talk, UpdatesThatWereOfferedAreTold) {
  push_update_ = true;
  begin();
  say(kReply);
  say("PUSH_UPDATE,route 10.9.0.0 255.255.0.0, -dns");
  ASSERT_EQ(pushes_.size(), 2u);
  EXPECT_TRUE(pushes_[1].update);
  EXPECT_THAT(pushes_[1].options, ElementsAre("route 10.9.0.0 255.255.0.0", "-dns"));
}

TEST_F(Talk, WhatIsDamagedOrUnknownIsLeftOut) {
  begin();
  say("GIBBERISH,x");
  say("PUSH_REPLY,\x01");
  EXPECT_THAT(notes_, testing::Contains(HasSubstr("GIBBERISH")));
  EXPECT_THAT(warnings_, testing::Contains(HasSubstr("damaged")));
  EXPECT_THAT(pushes_, IsEmpty());
  say(kReply);
  EXPECT_EQ(keys_.size(), 1u);
}

}  // namespace
