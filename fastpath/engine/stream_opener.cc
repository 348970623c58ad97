// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/stream_opener.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "fastpath/engine/exit_status.h"

namespace engine {

std::optional<base::Problem> StreamOpener::call(const io::TcpSettings& settings,
                                                const base::Endpoint& to,
                                                std::unique_ptr<proxy::Dialogue> dialogue) {
  stop();
  settings_ = settings;
  called_ = to;
  dialogue_ = std::move(dialogue);
  return begin_call();
}

std::optional<base::Problem> StreamOpener::begin_call() {
  auto socket = io::begin_connect(settings_, called_);
  if (!socket) return socket.error().problem;
  calling_ = std::move(*socket);
  talking_ = false;
  loop_.watch(calling_.get(), tag_, true);
  return std::nullopt;
}

void StreamOpener::listen(const io::TcpSettings& settings, std::vector<base::Endpoint> only_from) {
  stop();
  only_from_ = std::move(only_from);
  if (!listener_) {
    auto opened = io::TcpListener::open(settings);
    if (!opened) {
      throw base::FatalError(to_string(opened.error().problem),
                             opened.error().lasting ? kExitLasting : kExitFailed);
    }
    listener_ = std::move(*opened);
  }
  if (const std::string problem = listener_->listen(); !problem.empty()) {
    throw base::FatalError(problem, kExitFailed);
  }
  listening_ = true;
  loop_.watch(listener_->fd(), tag_);
}

void StreamOpener::stop() {
  if (listening_) {
    loop_.unwatch(listener_->fd());
    listener_->rest();
  }
  listening_ = false;
  loop_.unwatch(calling_.get());
  calling_.reset();
  words_.clear();
}

std::optional<StreamOpener::Outcome> StreamOpener::advance() {
  if (listening_) return take_caller();
  if (calling_) return advance_call();
  return std::nullopt;
}

std::optional<StreamOpener::Outcome> StreamOpener::take_caller() {
  while (auto caller = listener_->accept()) {
    if (!welcome(caller->from)) {
      log_.warning("a caller from " + caller->from.to_string() +
                   " is turned away: not the configured remote (write `float` if it may change)");
      continue;
    }
    stop();
    return Outcome(std::make_unique<io::TcpPort>(std::move(caller->socket), caller->from));
  }
  return std::nullopt;
}

// Whatever port it calls from: a client picks any.
bool StreamOpener::welcome(const base::Endpoint& caller) const {
  return only_from_.empty() || std::ranges::any_of(only_from_, [&](const base::Endpoint& one) {
           return one.address == caller.address;
         });
}

std::optional<StreamOpener::Outcome> StreamOpener::advance_call() {
  if (talking_) return talk();
  if (const std::string problem = io::connect_problem(calling_.get()); !problem.empty()) {
    return fail(problem);
  }
  if (!io::is_connected(calling_.get())) return std::nullopt;
  if (!dialogue_) return hand_over({});
  talking_ = true;
  words_ = dialogue_->begin();
  return talk();
}

// One step of what is said to a proxy and heard from it.
std::optional<StreamOpener::Outcome> StreamOpener::talk() {
  if (!send_words()) return fail("the proxy closed the connection");
  auto outcome = take_answer();
  // It may have to be called anew first.
  if (outcome || !talking_) return outcome;
  if (!send_words()) return fail("the proxy closed the connection");
  loop_.watch_writable(calling_.get(), tag_, !words_.empty());
  return std::nullopt;
}

bool StreamOpener::send_words() {
  while (!words_.empty()) {
    const ssize_t sent =
        ::send(calling_.get(), words_.data(), words_.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    words_.erase(words_.begin(), words_.begin() + sent);
  }
  return true;
}

std::optional<StreamOpener::Outcome> StreamOpener::take_answer() {
  std::array<std::uint8_t, 4096> bytes{};
  const ssize_t count = ::recv(calling_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  if (count <= 0) return fail("the proxy closed the connection");
  switch (dialogue_->take(base::ByteSpan(bytes).first(static_cast<std::size_t>(count)), words_)) {
    case proxy::State::kTalking:
      return std::nullopt;
    case proxy::State::kOpen:
      return hand_over(dialogue_->rest());
    case proxy::State::kRefused:
      return fail("the proxy: " + dialogue_->problem());
    case proxy::State::kAgain:
      break;
  }
  stop();
  if (auto problem = begin_call()) return Outcome(*problem);
  return std::nullopt;
}

StreamOpener::Outcome StreamOpener::hand_over(base::ByteSpan early) {
  loop_.unwatch(calling_.get());
  auto port = std::make_unique<io::TcpPort>(std::move(calling_), called_, early);
  dialogue_.reset();
  return Outcome(std::move(port));
}

StreamOpener::Outcome StreamOpener::fail(const std::string& why) {
  stop();
  return Outcome(base::Problem{{}, why, {}});
}

}  // namespace engine
