// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/login_keeper.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"

namespace engine {
namespace {

using Kind = Question::Kind;

config::CredentialsConfig user_and_password() {
  config::CredentialsConfig config;
  config.wanted = true;
  config.username = "joe";
  config.password = "pw";
  return config;
}

std::string shown(LoginKeeper& keeper) {
  std::string problem;
  const control::ShownLogin login = keeper.shown(problem);
  return problem.empty() ? login.username + " " + login.password : "problem: " + problem;
}

TEST(LoginKeeper, WithoutAChallengeNothingIsAsked) {
  const auto config = user_and_password();
  LoginKeeper keeper(config, "", false);
  EXPECT_FALSE(keeper.question(false));
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "joe pw");
  EXPECT_EQ(shown(keeper), "joe pw");
  const config::CredentialsConfig none;
  EXPECT_FALSE(LoginKeeper(none, "", false).question(false));
}

TEST(LoginKeeper, AStaticChallengeIsAnsweredOncePerSession) {
  auto config = user_and_password();
  config.static_challenge = "Code";
  LoginKeeper keeper(config, "", false);
  EXPECT_EQ(keeper.question(false), (Question{Kind::kStaticChallenge, "Code", false}));
  EXPECT_FALSE(keeper.question(true)) << "the server's token needs none";
  keeper.answer(Kind::kStaticChallenge, "1");
  EXPECT_FALSE(keeper.question(false));
  keeper.begin_session();
  EXPECT_FALSE(keeper.question(false)) << "no server was there, so it is still good";
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "joe SCRV1:cHc=:MQ==");
  EXPECT_EQ(shown(keeper), "joe SCRV1:cHc=:MQ==") << "a renegotiation of the same session";
  EXPECT_TRUE(keeper.question(false)) << "for the next one it is void";
}

TEST(LoginKeeper, TheFormatConcatAppends) {
  auto config = user_and_password();
  config.static_challenge = "Code";
  config.static_challenge_echo = config.static_challenge_concat = true;
  LoginKeeper keeper(config, "", false);
  EXPECT_TRUE(keeper.question(false)->echo);
  keeper.answer(Kind::kStaticChallenge, "123");
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "joe pw123");
}

TEST(LoginKeeper, ADynamicChallengeTakesThePasswordsPlaceForOneSession) {
  const auto config = user_and_password();
  LoginKeeper keeper(config, "", false);
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "joe pw");
  keeper.challenged({"R,E", "state", "jo", "Which one?"});
  EXPECT_EQ(keeper.question(true), (Question{Kind::kDynamicChallenge, "Which one?", true}));
  keeper.answer(Kind::kDynamicChallenge, "42");
  EXPECT_FALSE(keeper.question(false));
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "jo CRV1::state::42");
  EXPECT_EQ(shown(keeper), "jo CRV1::state::42");
  keeper.begin_session();
  EXPECT_EQ(shown(keeper), "joe pw");
}

TEST(LoginKeeper, WhatIsRefusedIsAPersonsMatter) {
  const auto config = user_and_password();
  LoginKeeper keeper(config, "", false);
  keeper.refused();
  EXPECT_EQ(keeper.question(false)->kind, Kind::kLogin);
}

// auth-nocache.
TEST(LoginKeeper, ReadsTheFileForEachUse) {
  char name[] = "/tmp/tct-login-XXXXXX";
  const std::string folder = ::mkdtemp(name);
  const std::string file = folder + "/login";
  auto config = user_and_password();
  config.password.clear();
  config.file.name = file;
  LoginKeeper keeper(config, "", true);
  keeper.begin_session();
  ASSERT_EQ(base::write_file_atomically(file, "joe\none\n", 0600), "");
  EXPECT_EQ(shown(keeper), "joe one");
  ASSERT_EQ(base::write_file_atomically(file, "jim\ntwo\n", 0600), "");
  EXPECT_EQ(shown(keeper), "jim two");
  std::filesystem::remove(file);
  EXPECT_NE(shown(keeper).find("problem: auth-user-pass: "), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(Pending, TextsOfTheServer) {
  EXPECT_EQ(pending_question("CR_TEXT:R,E:Enter: code"),
            (Question{Kind::kPending, "Enter: code", true}));
  EXPECT_EQ(pending_question("CR_TEXT:R:x"), (Question{Kind::kPending, "x", false}));
  for (const char* text : {"CR_TEXT:E:only told", "CR_TEXT:R", "WEB_AUTH::https://x", "hello"}) {
    EXPECT_FALSE(pending_question(text)) << text;
  }
  EXPECT_EQ(pending_url("WEB_AUTH:external:https://x/?a=b:c"), "https://x/?a=b:c");
  EXPECT_EQ(pending_url("WEB_AUTH::https://x"), "https://x");
  EXPECT_EQ(pending_url("OPEN_URL:https://x"), "https://x");
  for (const char* text : {"WEB_AUTH:x", "CR_TEXT:R:x", "hello"}) EXPECT_FALSE(pending_url(text));
}

}  // namespace
}  // namespace engine
