// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "fastpath/config/tls_config.h"
#include "fastpath/control/control_session.h"
#include "fastpath/control/text_message.h"

namespace engine {

// What only a person can answer.
struct Question {
  // kLogin: user name and password themselves, which are kept in a file: the answer is a new file
  // and a reload.
  enum class Kind { kStaticChallenge, kDynamicChallenge, kPending, kLogin };
  Kind kind = Kind::kLogin;
  std::string text;
  bool echo = false;  // the answer may be seen while it is typed

  friend bool operator==(const Question&, const Question&) = default;
};

// What a server is shown as user name and password, and what has to be asked before that can be.
// An answer is good for one session (its renegotiations show it again, as stock's do), never for a
// second one: two tries with one one-time password lock accounts. Used by the main thread.
class LoginKeeper {
 public:
  // `config` outlives it. `credentials_file`: the engine's own --credentials-file. `rereads`: user
  // name and password are read anew for each exchange of keys, and nothing of them is in `config`.
  LoginKeeper(const config::CredentialsConfig& config, std::string credentials_file, bool rereads)
      : config_(config), credentials_file_(std::move(credentials_file)), rereads_(rereads) {}
  ~LoginKeeper();
  LoginKeeper(const LoginKeeper&) = delete;
  LoginKeeper& operator=(const LoginKeeper&) = delete;

  // What is open before a session can begin. `has_token`: a server's auth-token is shown instead.
  std::optional<Question> question(bool has_token) const;
  void answer(Question::Kind kind, std::string text);
  void challenged(control::DynamicChallenge challenge);  // by AUTH_FAILED
  void refused() { refused_ = true; }                    // and a person has to look at it

  // From here on answers that were shown are void. One that never was, because no server was there,
  // is still good.
  void begin_session() { fresh_ = true; }
  // For one exchange of keys. `problem`: why it could not be read, when nothing is shown.
  control::ShownLogin shown(std::string& problem);

 private:
  struct Answers {
    std::optional<std::string> to_static, to_dynamic;
    std::optional<control::DynamicChallenge> challenge;
  };
  static void forget(Answers& answers);
  control::ShownLogin stored(std::string& problem) const;

  const config::CredentialsConfig& config_;
  const std::string credentials_file_;
  const bool rereads_;
  Answers next_, current_;  // not shown yet, and shown in this session
  bool fresh_ = false;      // nothing was shown in this session
  bool refused_ = false;
};

// The part of an INFO_PRE message that a person has to answer or open; nothing: it only informs.
// (OpenVPN protocol: CR_TEXT:flags:text, OPEN_URL:url, WEB_AUTH:flags:url.)
std::optional<Question> pending_question(const std::string& info);
std::optional<std::string> pending_url(const std::string& info);

}  // namespace engine
