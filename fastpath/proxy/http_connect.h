// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "fastpath/proxy/dialogue.h"
#include "fastpath/proxy/http_challenge.h"

namespace proxy {

// CONNECT (RFC 9110 section 9.3.6), with basic (RFC 7617) and digest (RFC 7616) logins.
class HttpConnect : public Dialogue {
 public:
  HttpConnect(const config::ProxyConfig& config, const std::string& host, std::uint16_t port,
              std::function<void(base::MutableByteSpan)> random);

  base::Bytes begin() override;
  State take(base::ByteSpan bytes, base::Bytes& answer) override;

 private:
  // An answer with a longer head than this is not one to CONNECT.
  static constexpr std::size_t kHeadMax = 16384;

  std::string headers() const;
  State judge(std::string_view head);
  State log_in(const HttpAnswer& answer);
  std::string client_nonce() const;

  const config::ProxyConfig config_;
  const std::optional<config::ProxyLogin> login_;
  const std::string authority_;  // host:port
  const std::function<void(base::MutableByteSpan)> random_;
  std::string authorization_;  // the value of Proxy-Authorization; empty: none is sent
  bool digest_sent_ = false;
  int digest_tries_ = 0;
  std::string received_;
};

}  // namespace proxy
