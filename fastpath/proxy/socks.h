// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "fastpath/proxy/dialogue.h"

namespace proxy {

// SOCKS 5 (RFC 1928) for a TCP connection, with user name and password (RFC 1929) if there are
// any. The far end's name is left to the proxy to resolve.
class Socks : public Dialogue {
 public:
  Socks(const config::ProxyConfig& config, const std::string& host, std::uint16_t port);

  base::Bytes begin() override;
  State take(base::ByteSpan bytes, base::Bytes& answer) override;

 private:
  enum class Turn { kMethod, kLogin, kReply };

  // Each takes its part off the front of received_, if it is there whole.
  std::optional<State> take_method(base::Bytes& answer);
  std::optional<State> take_login(base::Bytes& answer);
  std::optional<State> take_reply();
  void ask(base::Bytes& answer);

  const std::optional<config::ProxyLogin> login_;
  const std::string host_;
  const std::uint16_t port_;
  Turn turn_ = Turn::kMethod;
  base::Bytes received_;
};

}  // namespace proxy
