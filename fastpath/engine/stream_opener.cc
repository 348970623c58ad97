// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/stream_opener.h"

#include <algorithm>
#include <utility>

#include "fastpath/engine/exit_status.h"

namespace engine {

std::optional<base::Problem> StreamOpener::call(const io::TcpSettings& settings,
                                                const base::Endpoint& to) {
  stop();
  auto socket = io::begin_connect(settings, to);
  if (!socket) return socket.error().problem;
  calling_ = std::move(*socket);
  called_ = to;
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
  if (const std::string problem = io::connect_problem(calling_.get()); !problem.empty()) {
    stop();
    return Outcome(base::Problem{{}, problem, {}});
  }
  if (!io::is_connected(calling_.get())) return std::nullopt;
  loop_.unwatch(calling_.get());
  return Outcome(std::make_unique<io::TcpPort>(std::move(calling_), called_));
}

}  // namespace engine
