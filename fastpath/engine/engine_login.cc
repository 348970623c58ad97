// SPDX-License-Identifier: Apache-2.0
// User name, password and what else a server may want of a person: what an engine does when that is
// missing, refused, or asked for.
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/wipe.h"
#include "fastpath/engine/engine.h"

namespace engine {

using ovpn::ConnectionState;

namespace {

// As AskSocket sends it; whoever answers a kLogin writes a file instead.
std::string packet_of(const Question& question) {
  const char* kind = question.kind == Question::Kind::kLogin ? "login" : "text";
  if (question.kind != Question::Kind::kLogin && !question.echo) kind = "secret";
  return std::string(kind) + " " + question.text;
}

}  // namespace

bool Engine::must_ask() {
  const auto question = config_.tls ? login_.question(control_.has_token()) : std::nullopt;
  if (question) ask(*question);
  return question.has_value();
}

void Engine::ask(const Question& question) {
  if (!parts_.ask->open()) {
    return fail("a person is asked '" + base::loggable(question.text) +
                    "', and there is no socket to answer at (--ask)",
                Ending::kLasting);
  }
  asking_ = question;
  parts_.ask->ask(packet_of(question));
  ask_through_helper(question);
  const bool login = question.kind == Question::Kind::kLogin;
  const std::string& command = parts_.loaded->own.ask_command;
  wish((login ? "" : "an answer is wanted: ") + base::loggable(question.text) +
       (command.empty() ? "" : "; `" + command + "`"));
}

// Whichever of the two is answered first; a login is a file, which no agent of systemd writes.
// Where the helper is not there, the other way is as good as it was.
void Engine::ask_through_helper(const Question& question) {
  agent_.reset();
  if (question.kind == Question::Kind::kLogin || ::geteuid() == 0) return;
  std::string text = base::loggable(question.text);
  std::replace(text.begin(), text.end(), '\t', ' ');
  if (text.size() > hostnet::kQuestionBytesMax) text.resize(hostnet::kQuestionBytesMax);
  agent_.emplace(hostnet::kHelperSocket, hostnet::AskPerson{text, question.echo});
  if (agent_->over()) return agent_.reset();
  loop_.watch(agent_->fd(), kAgentTag);
}

void Engine::wish(const std::string& text) {
  log_.notice(text);
  reporter_.set_wish(text);
  reporter_.set_state(ConnectionState::kAuthPending);
}

// Said with the state that comes next.
void Engine::stop_asking() {
  asking_.reset();
  parts_.ask->ask("");
  agent_.reset();
  reporter_.set_wish("");
}

void Engine::handle_answer_of_person() {
  auto answer = parts_.ask->take_answer();
  if (answer && asking_) use_answer(std::move(*answer));
}

void Engine::handle_answer_of_agent() {
  if (!agent_) return;
  auto answer = agent_->take_answer();
  if (agent_->over()) agent_.reset();
  if (answer && asking_) use_answer(std::move(*answer));
}

void Engine::use_answer(std::string answer) {
  const Question question = *asking_;
  stop_asking();
  if (question.kind == Question::Kind::kPending) {
    control_.answer(base::monotonic_now(), answer);
    base::wipe(answer);
    return reporter_.set_state(ConnectionState::kAuthPending);
  }
  login_.answer(question.kind, std::move(answer));
  connect();
}

void Engine::on(control::AuthFailed& event) {
  carry_out(after(event, control_.used_token(), config_.tls->credentials.retry));
}

void Engine::on(control::AuthPending&) {
  log_.notice("the server wants more proof before it lets us in");
  reporter_.set_state(ConnectionState::kAuthPending);
}

void Engine::on(control::InfoMessage& event) {
  if (const auto question = pending_question(event.text); question && parts_.ask->open()) {
    return ask(*question);
  }
  if (const auto url = pending_url(event.text)) return wish("to log in, open " + *url);
  log_.notice("the server says: " + event.text);
}

}  // namespace engine
