// SPDX-License-Identifier: Apache-2.0
// Who obeys which text: each of them, said to each kind of end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "fastpath/control/peer_session.h"
#include "tests/support/control_world.h"

namespace {

using control::TextKind;
using testing::Contains;
using testing::IsEmpty;

constexpr base::TimePoint kNow{std::chrono::seconds(1000)};
constexpr const char* kReply = "PUSH_REPLY,ifconfig 10.8.0.2 255.255.255.0,cipher AES-256-GCM";

// In the order of control::SessionEvent.
constexpr const char* kEvents[] = {"keys", "push",    "retired", "auth failed", "auth pending",
                                   "info", "restart", "exit",    "failed",      "note"};

struct End {
  config::TlsConfig config;
  std::unique_ptr<control::SessionCommon> common;
  std::unique_ptr<control::PeerSession> session;

  std::vector<std::string> told() {
    std::vector<std::string> names;
    while (const auto event = session->next_event()) names.emplace_back(kEvents[event->index()]);
    return names;
  }
};

// A client and a server whose handshake is over, and which say what a test lets them say.
class Ends {
 public:
  explicit Ends(bool pull) {
    client.config = support::client_config();
    client.config.pull.pull = pull;
    server.config = support::server_config();
    if (pull) server.config.negotiation.fallback = "AES-256-GCM";
    for (End* end : {&client, &server}) make_common(*end);
    client.session = std::make_unique<control::PeerSession>(*client.common, kNow);
    std::array<std::uint8_t, 2048> first;
    const std::size_t size = client.session->next_datagram(kNow, first).value();
    const auto head = control::parse_head(base::ByteSpan(first).first(size));
    const control::PeerSession::Cookie cookie{
        wire::SessionId{{9, 9, 9, 9, 9, 9, 9, 9}}, head->session, {}};
    server.session = std::make_unique<control::PeerSession>(*server.common, kNow, &cookie);
    hand_to(client, support::first_answer(cookie));
    shuttle();
    if (pull) say(server, kReply);
    static_cast<void>(client.told());
    static_cast<void>(server.told());
  }

  void say(End& from, const std::string& text) {
    from.session->send_text(kNow, text);
    shuttle();
  }

  End client, server;

 private:
  void make_common(End& end) {
    control::SessionParts parts;
    parts.config = &end.config;
    parts.push_update = true;
    parts.random = [this](base::MutableByteSpan to) {
      for (std::uint8_t& byte : to) byte = static_cast<std::uint8_t>(random_());
    };
    parts.wall_clock = [] { return support::kTestNow; };
    end.common = std::make_unique<control::SessionCommon>(std::move(parts));
  }
  static void hand_to(End& end, base::ByteSpan bytes) {
    end.session->handle(kNow, *control::parse_head(bytes), bytes);
  }
  void shuttle() {
    for (int turn = 0; turn < 30; ++turn) {
      pass_on(client, server);
      pass_on(server, client);
    }
  }
  static void pass_on(End& from, End& to) {
    from.session->handle_timeout(kNow);
    std::array<std::uint8_t, 2048> out;
    while (const auto size = from.session->next_datagram(kNow, out)) {
      hand_to(to, base::ByteSpan(out).first(*size));
    }
  }

  std::mt19937_64 random_{7};
};

struct Row {
  const char* text;
  const char* event;  // what a client that pulls makes of it; empty: a note at most
  bool by_all = false;
};

// A later PUSH_REPLY tells a client a token at most, and nobody else anything.
constexpr Row kRows[] = {{"PUSH_REPLY,redirect-gateway,cipher AES-256-GCM", ""},
                         {"PUSH_UPDATE,redirect-gateway", "push"},
                         {"AUTH_FAILED,because", "auth failed"},
                         {"AUTH_PENDING,timeout 60", "auth pending"},
                         {"INFO,text", "info"},
                         {"INFO_PRE,text", "info"},
                         {"RESTART,[N]", "restart"},
                         {"HALT,because", "exit"},
                         {"EXIT", "exit", true},
                         {"PUSH_REQUEST", ""},
                         {"CR_RESPONSE,Zm9v", ""},
                         {"GIBBERISH", ""}};

TEST(Texts, AreObeyedByClientsThatPull) {
  for (const Row& row : kRows) {
    Ends ends(true);
    ends.say(ends.server, row.text);
    std::vector<std::string> told = ends.client.told();
    std::erase(told, "note");
    if (*row.event == '\0') {
      EXPECT_THAT(told, IsEmpty()) << row.text;
    } else {
      EXPECT_THAT(told, Contains(row.event)) << row.text;
    }
  }
}

// A peer among equals must not set routes, end this end for good or send it elsewhere.
TEST(Texts, AreNoOrdersToAnEndThatDoesNotPull) {
  for (const bool to_server : {false, true}) {
    for (const Row& row : kRows) {
      Ends ends(false);
      ends.say(to_server ? ends.client : ends.server, row.text);
      const auto told = (to_server ? ends.server : ends.client).told();
      const std::string expected = row.by_all ? row.event : "note";
      EXPECT_THAT(told, testing::ElementsAre(expected)) << row.text << " to server: " << to_server;
    }
  }
}

TEST(Texts, EachHasItsRowInTheTable) {
  for (const TextKind kind :
       {TextKind::kPushReply, TextKind::kPushUpdate, TextKind::kAuthFailed, TextKind::kAuthPending,
        TextKind::kInfo, TextKind::kRestart, TextKind::kHalt}) {
    EXPECT_TRUE(control::obeyed(kind, true));
    EXPECT_FALSE(control::obeyed(kind, false));
  }
  EXPECT_TRUE(control::obeyed(TextKind::kExit, true) && control::obeyed(TextKind::kExit, false));
  for (const TextKind kind :
       {TextKind::kUnknown, TextKind::kPushRequest, TextKind::kChallengeResponse}) {
    EXPECT_FALSE(control::obeyed(kind, true) || control::obeyed(kind, false));
  }
}

}  // namespace
