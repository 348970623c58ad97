// SPDX-License-Identifier: Apache-2.0
#include "fastpath/proxy/http_connect.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/base64.h"
#include "base/ip.h"
#include "base/printable.h"
#include "base/text.h"
#include "fastpath/proxy/http_digest.h"

namespace proxy {
namespace {

using Login = config::ProxyConfig::Login;

// A nonce may be stale by the time it is used (RFC 7616), but hardly twice.
constexpr int kDigestTriesMax = 3;

std::string authority_of(const std::string& host, std::uint16_t port) {
  const auto address = base::IpAddress::parse(host);
  const bool bracketed = address && !address->is_v4();
  return (bracketed ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string basic(const config::ProxyLogin& login) {
  return "Basic " + base::to_base64(base::as_bytes(login.username + ":" + login.password));
}

const Challenge* offered(const HttpAnswer& answer, std::string_view scheme) {
  for (const Challenge& challenge : answer.challenges) {
    if (challenge.scheme == scheme) return &challenge;
  }
  return nullptr;
}

}  // namespace

HttpConnect::HttpConnect(const config::ProxyConfig& config, const std::string& host,
                         std::uint16_t port, std::function<void(base::MutableByteSpan)> random)
    : config_(config),
      login_(config.login == Login::kNone ? std::nullopt
                                          : config::parse_proxy_login(config.login_text)),
      authority_(authority_of(host, port)),
      random_(std::move(random)) {
  if (config.login == Login::kBasic && login_) authorization_ = basic(*login_);
}

std::string HttpConnect::headers() const {
  std::string text;
  bool host_given = false;
  for (const auto& [name, value] : config_.headers) {
    host_given = host_given || base::equals_ignoring_case(name, "host");
    text += name + ": " + value + "\r\n";
  }
  if (!host_given) text = "Host: " + authority_ + "\r\n" + text;
  if (!config_.agent.empty()) text += "User-Agent: " + config_.agent + "\r\n";
  if (!authorization_.empty()) text += "Proxy-Authorization: " + authorization_ + "\r\n";
  return text;
}

base::Bytes HttpConnect::begin() {
  received_.clear();
  const std::string request =
      "CONNECT " + authority_ + " HTTP/" + config_.version + "\r\n" + headers() + "\r\n";
  const base::ByteSpan bytes = base::as_bytes(request);
  return {bytes.begin(), bytes.end()};
}

State HttpConnect::take(base::ByteSpan bytes, base::Bytes&) {
  received_ += base::as_text(bytes);
  // RFC 9112 section 2.2: a bare line feed may end a line.
  std::size_t end = received_.find("\r\n\r\n"), skip = 4;
  const std::size_t bare = received_.find("\n\n");
  if (bare < end) {
    end = bare;
    skip = 2;
  }
  if (end > kHeadMax && received_.size() > kHeadMax) {
    return refuse("what it answers is no answer to CONNECT");
  }
  if (end == std::string::npos) {
    // Something else than HTTP is told by its first bytes, and might never send an empty line.
    const std::string_view start = "HTTP/";
    const std::size_t known = std::min(received_.size(), start.size());
    if (received_.compare(0, known, start.substr(0, known)) == 0) return State::kTalking;
    return refuse("it does not speak HTTP");
  }
  const base::ByteSpan rest = base::as_bytes(std::string_view(received_).substr(end + skip));
  rest_.assign(rest.begin(), rest.end());
  return judge(std::string_view(received_).substr(0, end));
}

State HttpConnect::judge(std::string_view head) {
  const auto answer = parse_answer(head);
  if (!answer) return refuse("it does not speak HTTP");
  if (answer->status >= 200 && answer->status < 300) return State::kOpen;
  if (answer->status == 407) return log_in(*answer);
  return refuse("it answers " + std::to_string(answer->status) + " " +
                base::loggable(answer->reason) + " to CONNECT " + authority_);
}

State HttpConnect::log_in(const HttpAnswer& answer) {
  if (!login_) {
    return refuse(
        "it wants a user name and password: write them, two lines, to a file, and its name behind "
        "the port of `http-proxy`");
  }
  const Challenge* digest = offered(answer, "digest");
  const bool stale =
      digest != nullptr && base::equals_ignoring_case(digest->option("stale"), "true");
  if (digest != nullptr && (!digest_sent_ || stale) && digest_tries_ < kDigestTriesMax) {
    if (auto value = digest_answer(*digest, *login_, authority_, client_nonce())) {
      authorization_ = std::move(*value);
      digest_sent_ = true;
      ++digest_tries_;
      return State::kAgain;
    }
  }
  const bool clear_allowed = config_.login != Login::kDigestOnly;
  if (authorization_.empty() && clear_allowed && offered(answer, "basic") != nullptr) {
    authorization_ = basic(*login_);
    return State::kAgain;
  }
  if (!authorization_.empty()) return refuse("it does not accept this user name and password");
  return refuse("it wants a login by none of the ways known here (basic and digest)");
}

std::string HttpConnect::client_nonce() const {
  std::array<std::uint8_t, 16> bytes{};
  random_(bytes);
  return base::to_hex(bytes);
}

}  // namespace proxy
