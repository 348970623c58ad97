// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/resolver.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

namespace engine {
namespace {

int family_number(config::FamilyChoice family) {
  switch (family) {
    case config::FamilyChoice::kIpv4:
      return AF_INET;
    case config::FamilyChoice::kIpv6:
      return AF_INET6;
    case config::FamilyChoice::kAny:
      break;
  }
  return AF_UNSPEC;
}

// Without its interface it leads nowhere, and an Endpoint has no room for that.
bool is_link_local(const base::IpAddress& address) {
  return base::Prefix::parse("fe80::/10")->contains(address);
}

base::Endpoint endpoint_of(const addrinfo& info) {
  if (info.ai_family == AF_INET) {
    sockaddr_in address;
    std::memcpy(&address, info.ai_addr, sizeof address);
    return {base::IpAddress::v4(ntohl(address.sin_addr.s_addr)), ntohs(address.sin_port)};
  }
  sockaddr_in6 address;
  std::memcpy(&address, info.ai_addr, sizeof address);
  return {base::IpAddress::from_bytes({address.sin6_addr.s6_addr, 16}).unmapped(),
          ntohs(address.sin6_port)};
}

int look_up(const std::string& host, const std::string& port, config::FamilyChoice family,
            int flags, Resolved& to) {
  addrinfo hints{};
  hints.ai_family = family_number(family);
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &list);
  if (error != 0) {
    const std::string why = error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error);
    to.problem = "cannot resolve " + host + ": " + why;
    return error;
  }
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    if (info->ai_family != AF_INET && info->ai_family != AF_INET6) continue;
    const base::Endpoint endpoint = endpoint_of(*info);
    if (is_link_local(endpoint.address)) {
      to.problem = "cannot use " + host + ": a link-local address";
      continue;
    }
    if (std::find(to.addresses.begin(), to.addresses.end(), endpoint) == to.addresses.end()) {
      to.addresses.push_back(endpoint);
    }
  }
  ::freeaddrinfo(list);
  if (!to.addresses.empty()) to.problem.clear();
  if (to.addresses.empty() && to.problem.empty()) {
    to.problem = "cannot resolve " + host + ": no usable address";
  }
  return 0;
}

}  // namespace

std::optional<Resolved> resolve_literal(const std::string& host, const std::string& port,
                                        config::FamilyChoice family) {
  Resolved resolved;
  if (look_up(host, port, family, AI_NUMERICHOST, resolved) != 0) return std::nullopt;
  return resolved;
}

Resolved resolve_now(const std::string& host, const std::string& port,
                     config::FamilyChoice family) {
  Resolved resolved;
  static_cast<void>(look_up(host, port, family, 0, resolved));
  return resolved;
}

// Shared by the asker and the thread; whoever lets go last frees it.
struct Resolver::Question {
  std::mutex mutex;
  std::optional<Resolved> answer;
  base::UniqueFd wake;  // a descriptor of its own: the asker's may be gone by then
};

Resolver::Resolver(io::WakeUp& wake_main) : wake_main_(wake_main) {}
Resolver::~Resolver() = default;

void Resolver::ask(const std::string& host, const std::string& port, config::FamilyChoice family) {
  question_ = std::make_shared<Question>();
  question_->wake.reset(::dup(wake_main_.fd()));
  std::thread([question = question_, host, port, family] {
    Resolved resolved;
    static_cast<void>(look_up(host, port, family, 0, resolved));
    {
      const std::lock_guard lock(question->mutex);
      question->answer = std::move(resolved);
    }
    const std::uint64_t one = 1;
    if (::write(question->wake.get(), &one, sizeof one) < 0) return;
  }).detach();
}

bool Resolver::asking() const { return question_ != nullptr; }

std::optional<Resolved> Resolver::take_answer() {
  if (!question_) return std::nullopt;
  std::optional<Resolved> answer;
  {
    const std::lock_guard lock(question_->mutex);
    answer = std::move(question_->answer);
  }
  if (answer) question_.reset();
  return answer;
}

void Resolver::abandon() { question_.reset(); }

}  // namespace engine
