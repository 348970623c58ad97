// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/login_keeper.h"

#include <utility>

#include "base/text.h"
#include "base/wipe.h"
#include "fastpath/engine/load_tls.h"

namespace engine {
namespace {

constexpr std::string_view kCrText = "CR_TEXT:", kOpenUrl = "OPEN_URL:", kWebAuth = "WEB_AUTH:";

bool has_flag(std::string_view flags, std::string_view wanted) {
  for (const std::string_view flag : base::split(flags, ',')) {
    if (flag == wanted) return true;
  }
  return false;
}

void wipe(std::optional<std::string>& text) {
  if (text) base::wipe(*text);
  text.reset();
}

}  // namespace

LoginKeeper::~LoginKeeper() {
  forget(next_);
  forget(current_);
}

void LoginKeeper::forget(Answers& answers) {
  wipe(answers.to_static);
  wipe(answers.to_dynamic);
  answers.challenge.reset();
}

std::optional<Question> LoginKeeper::question(bool has_token) const {
  if (!config_.wanted) return std::nullopt;
  if (refused_) {
    return Question{Question::Kind::kLogin, "the server refuses this user name and password", true};
  }
  if (next_.challenge) {
    if (next_.to_dynamic) return std::nullopt;
    return Question{Question::Kind::kDynamicChallenge, next_.challenge->text,
                    has_flag(next_.challenge->flags, "E")};
  }
  if (config_.static_challenge.empty() || next_.to_static || has_token) return std::nullopt;
  return Question{Question::Kind::kStaticChallenge, config_.static_challenge,
                  config_.static_challenge_echo};
}

void LoginKeeper::answer(Question::Kind kind, std::string text) {
  if (kind == Question::Kind::kStaticChallenge) {
    next_.to_static = std::move(text);
  } else if (kind == Question::Kind::kDynamicChallenge) {
    next_.to_dynamic = std::move(text);
  }
}

void LoginKeeper::challenged(control::DynamicChallenge challenge) {
  forget(next_);
  next_.challenge = std::move(challenge);
}

control::ShownLogin LoginKeeper::shown(std::string& problem) {
  if (std::exchange(fresh_, false)) {
    forget(current_);
    std::swap(current_, next_);
  }
  if (current_.challenge && current_.to_dynamic) {
    const std::string& user = current_.challenge->username;
    return {user.empty() ? config_.username : user,
            control::dynamic_challenge_password(*current_.challenge, *current_.to_dynamic)};
  }
  control::ShownLogin login = stored(problem);
  if (!current_.to_static || !problem.empty()) return login;
  std::string password = config_.static_challenge_concat ? login.password + *current_.to_static
                                                         : control::static_challenge_password(
                                                               login.password, *current_.to_static);
  base::wipe(login.password);
  login.password = std::move(password);
  return login;
}

control::ShownLogin LoginKeeper::stored(std::string& problem) const {
  if (!rereads_) return {config_.username, config_.password};
  config::CredentialsConfig fresh = config_;
  base::Problems warnings;
  const base::Problems problems = load_credentials(fresh, credentials_file_, warnings);
  if (problems.empty()) return {fresh.username, fresh.password};
  problem = to_string(problems.front());
  return {};
}

std::optional<Question> pending_question(const std::string& info) {
  std::string_view rest = info;
  if (!rest.starts_with(kCrText)) return std::nullopt;
  rest.remove_prefix(kCrText.size());
  const auto colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view flags = rest.substr(0, colon);
  if (!has_flag(flags, "R")) return std::nullopt;  // for information
  return Question{Question::Kind::kPending, std::string(rest.substr(colon + 1)),
                  has_flag(flags, "E")};
}

std::optional<std::string> pending_url(const std::string& info) {
  std::string_view rest = info;
  if (rest.starts_with(kOpenUrl)) return std::string(rest.substr(kOpenUrl.size()));
  if (!rest.starts_with(kWebAuth)) return std::nullopt;
  rest.remove_prefix(kWebAuth.size());
  const auto colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::string(rest.substr(colon + 1));
}

}  // namespace engine
