// SPDX-License-Identifier: Apache-2.0
#include "fastpath/proxy/socks.h"

#include <array>
#include <string_view>

#include "base/ip.h"

namespace proxy {
namespace {

constexpr std::uint8_t kVersion = 5, kLoginVersion = 1;
constexpr std::uint8_t kNoLogin = 0, kByPassword = 2;
constexpr std::uint8_t kConnect = 1;
constexpr std::uint8_t kIpv4 = 1, kName = 3, kIpv6 = 4;
constexpr std::size_t kTextMax = 255;  // one byte tells the length

constexpr std::array<std::string_view, 9> kReplies = {"",
                                                      "general failure",
                                                      "its rules do not allow it",
                                                      "the network cannot be reached",
                                                      "the host cannot be reached",
                                                      "the connection was refused",
                                                      "it took too long",
                                                      "it does not know the command",
                                                      "it does not know this kind of address"};

void append(base::Bytes& to, base::ByteSpan bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

void append_text(base::Bytes& to, const std::string& text) {
  to.push_back(static_cast<std::uint8_t>(text.size()));
  append(to, base::as_bytes(text));
}

}  // namespace

Socks::Socks(const config::ProxyConfig& config, const std::string& host, std::uint16_t port)
    : login_(config::parse_proxy_login(config.login_text)), host_(host), port_(port) {}

base::Bytes Socks::begin() {
  received_.clear();
  turn_ = Turn::kMethod;
  if (login_) return {kVersion, 2, kNoLogin, kByPassword};
  return {kVersion, 1, kNoLogin};
}

State Socks::take(base::ByteSpan bytes, base::Bytes& answer) {
  append(received_, bytes);
  while (true) {
    std::optional<State> state;
    if (turn_ == Turn::kMethod)
      state = take_method(answer);
    else if (turn_ == Turn::kLogin)
      state = take_login(answer);
    else
      state = take_reply();
    if (!state) return State::kTalking;
    if (*state != State::kTalking) return *state;
  }
}

std::optional<State> Socks::take_method(base::Bytes& answer) {
  if (!received_.empty() && received_[0] != kVersion) return refuse("it does not speak SOCKS 5");
  if (received_.size() < 2) return std::nullopt;
  const std::uint8_t method = received_[1];
  received_.erase(received_.begin(), received_.begin() + 2);
  if (method == kNoLogin) {
    ask(answer);
    return State::kTalking;
  }
  if (method != kByPassword || !login_) {
    return refuse(login_ ? "it wants a login by another way than user name and password"
                         : "it wants a user name and password: write them, two lines, to a file, "
                           "and its name behind the port of `socks-proxy`");
  }
  if (login_->username.size() > kTextMax || login_->password.size() > kTextMax) {
    return refuse("user name and password may have 255 bytes each");
  }
  answer.push_back(kLoginVersion);
  append_text(answer, login_->username);
  append_text(answer, login_->password);
  turn_ = Turn::kLogin;
  return State::kTalking;
}

std::optional<State> Socks::take_login(base::Bytes& answer) {
  if (received_.size() < 2) return std::nullopt;
  if (received_[1] != 0) return refuse("it does not accept this user name and password");
  received_.erase(received_.begin(), received_.begin() + 2);
  ask(answer);
  return State::kTalking;
}

void Socks::ask(base::Bytes& answer) {
  for (const std::uint8_t byte : {kVersion, kConnect, std::uint8_t{0}}) answer.push_back(byte);
  if (const auto address = base::IpAddress::parse(host_)) {
    answer.push_back(address->is_v4() ? kIpv4 : kIpv6);
    append(answer, address->bytes());
  } else {
    answer.push_back(kName);
    append_text(answer, host_.substr(0, kTextMax));
  }
  answer.push_back(static_cast<std::uint8_t>(port_ >> 8));
  answer.push_back(static_cast<std::uint8_t>(port_));
  turn_ = Turn::kReply;
}

std::optional<State> Socks::take_reply() {
  if (!received_.empty() && received_[0] != kVersion) return refuse("it does not speak SOCKS 5");
  if (received_.size() < 2) return std::nullopt;
  const std::size_t code = received_[1];
  if (code != 0) {
    const bool known = code < kReplies.size();
    return refuse("it does not connect to " + host_ + ": " +
                  (known ? std::string(kReplies[code]) : "code " + std::to_string(code)));
  }
  if (received_.size() < 5) return std::nullopt;
  // The address it connects from, which nobody needs.
  std::size_t address = 0;
  if (received_[3] == kIpv4)
    address = 4;
  else if (received_[3] == kIpv6)
    address = 16;
  else if (received_[3] == kName)
    address = 1 + std::size_t{received_[4]};
  else
    return refuse("it does not speak SOCKS 5");
  const std::size_t whole = 4 + address + 2;
  if (received_.size() < whole) return std::nullopt;
  rest_.assign(received_.begin() + static_cast<std::ptrdiff_t>(whole), received_.end());
  return State::kOpen;
}

}  // namespace proxy
