// SPDX-License-Identifier: Apache-2.0
#include "fastpath/root_helper/serve.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/unique_fd.h"
#include "base/wipe.h"
#include "fastpath/hostnet/helper_client.h"
#include "fastpath/hostnet/helper_request.h"
#include "fastpath/root_helper/caller.h"
#include "fastpath/root_helper/name_servers.h"
#include "fastpath/root_helper/password_question.h"

namespace root_helper {
namespace {

constexpr int kPatienceMs = 5000;
constexpr const char* kNotTheirs = "not this tunnel's own interface, or its site's dns.use says no";

// Remembers the last line that was logged, which is the answer as well.
class Telling {
 public:
  explicit Telling(const base::Log& log)
      : log_([this, &log](base::LogLevel level, std::string_view line) {
          log(level, line);
          last_ = line;
        }) {}
  const base::Log& log() const { return log_; }
  const std::string& last() const { return last_; }

 private:
  std::string last_;
  base::Log log_;
};

void send(int connection, std::string_view packet) {
  // Whoever went away meanwhile does not miss it.
  if (::send(connection, packet.data(), packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
}

// Empty: nothing came.
std::string receive(int connection) {
  pollfd wanted{connection, POLLIN, 0};
  if (::poll(&wanted, 1, kPatienceMs) <= 0) return {};
  // One byte more, so that what is too long is seen to be.
  std::string packet(hostnet::kHelperPacketBytesMax + 1, '\0');
  const ssize_t got = ::recv(connection, packet.data(), packet.size(), MSG_DONTWAIT);
  packet.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return packet;
}

class Call {
 public:
  Call(int connection, const Caller& caller, const Places& places, const base::Log& log)
      : connection_(connection), caller_(caller), places_(places), log_(log), telling_(log) {}

  void operator()(const hostnet::SetNameServers& set) {
    const NameServerRight right = right_to(caller_, set.device, places_.run);
    const bool may = set.whole_machine ? right == NameServerRight::kWholeMachine
                                       : right != NameServerRight::kNone;
    if (!may) return refuse(set.device, kNotTheirs);
    NameServers servers(telling_.log(), places_.state, places_.dns);
    if (!servers.problem().empty()) return refuse(set.device, servers.problem());
    tell(servers.set(set));
  }

  // Giving back is no harm, whatever the site says meanwhile.
  void operator()(const hostnet::UndoNameServers& undo) {
    if (!owns(undo.device)) return refuse(undo.device, kNotTheirs);
    NameServers servers(telling_.log(), places_.state, places_.dns);
    if (!servers.problem().empty()) return refuse(undo.device, servers.problem());
    tell(servers.undo(undo.device));
  }

  void operator()(const hostnet::AskPerson& ask) {
    const std::string id = caller_.site.empty() ? "root" : caller_.site;
    OpenPasswordQuestion open(places_.questions, {id, "tunctl " + id + ": " + ask.text, ask.echo});
    if (!open.problem().empty()) return refuse(id, open.problem());
    wait_for_answer(open);
  }

 private:
  bool owns(const std::string& device) const {
    return owner_of(device, places_.run) == caller_.site || caller_.site.empty();
  }

  void refuse(const std::string& what, const std::string& why) {
    log_.warning("refused for " + (caller_.site.empty() ? "root" : "tunnel " + caller_.site) +
                 ", " + what + ": " + why);
    send(connection_, "not " + what + ": " + why);
  }

  void tell(bool done) {
    send(connection_, (done ? "done " : "not ") +
                          (telling_.last().empty() ? "nothing was to be done" : telling_.last()));
  }

  // Until an agent answers, the caller goes away, or systemd ends us.
  void wait_for_answer(OpenPasswordQuestion& open) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    ::sigprocmask(SIG_BLOCK, &ends, nullptr);
    const base::UniqueFd signals(::signalfd(-1, &ends, SFD_CLOEXEC));
    bool more = true;
    while (more) {
      std::array<pollfd, 3> wanted{pollfd{open.fd(), POLLIN, 0}, pollfd{connection_, POLLIN, 0},
                                   pollfd{signals.get(), POLLIN, 0}};
      if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) return;
      if (wanted[1].revents != 0 || wanted[2].revents != 0) return;
      if (wanted[0].revents == 0) continue;
      auto answer = open.take_answer(more);
      if (!answer) continue;
      std::string packet;
      packet.reserve(answer->size() + 1);  // no copy is left where it grew
      packet += '+';
      packet += *answer;
      send(connection_, packet);
      base::wipe(packet);
      base::wipe(*answer);
    }
  }

  const int connection_;
  const Caller& caller_;
  const Places& places_;
  const base::Log& log_;
  Telling telling_;
};

}  // namespace

void serve(int connection, const Places& places, const base::Log& log) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
    return log.error("this is started by tunctl-helper.socket, with a connection");
  }
  remove_dead_questions(places.questions);
  // First, for who is answered before is reset with what was not read, and misses the answer.
  const std::string packet = receive(connection);
  const auto caller = caller_of(peer.uid, places.run);
  if (!caller) {
    log.warning("refused: user " + std::to_string(peer.uid) + " is no tunnel's");
    return send(connection, "not for you");
  }
  const auto request = hostnet::parse_request(packet);
  if (!request) {
    log.warning("refused for user " + std::to_string(peer.uid) + ": not a request");
    return send(connection, "not a request");
  }
  std::visit(Call(connection, *caller, places, log), *request);
}

// Where nothing is noted, nothing is made either.
void undo_all(const Places& places, const base::Log& log) {
  remove_dead_questions(places.questions);
  if (noted_devices(places.state).empty()) return;
  NameServers servers(log, places.state, places.dns);
  if (!servers.problem().empty()) return log.warning(servers.problem());
  servers.undo_all();
}

// By a call like everybody's where that is possible: only what runs in the helper's own unit sees
// the machine as the one did that noted it (in a container, even the boot has another id there).
void undo_site(const std::string& site, const Places& places, const base::Log& log) {
  using Kind = hostnet::HelperAnswer::Kind;
  for (const std::string& device : noted_devices(places.state)) {
    if (site.empty() || owner_of(device, places.run) != site) continue;
    const auto answer = hostnet::call_helper(places.socket, hostnet::UndoNameServers{device}, {});
    if (answer.kind == Kind::kDone) continue;
    if (answer.kind != Kind::kUnreachable) {
      log.warning("name servers of " + device + " may stay: " + answer.text);
      continue;
    }
    NameServers servers(log, places.state, places.dns);
    if (!servers.problem().empty()) return log.warning(servers.problem());
    servers.undo(device);
  }
}

}  // namespace root_helper
