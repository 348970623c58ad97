// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "fastpath/proxy/dialogue.h"
#include "fastpath/proxy/http_connect.h"
#include "fastpath/proxy/socks.h"

namespace proxy {

std::unique_ptr<Dialogue> make_dialogue(const config::ProxyConfig& config, const std::string& host,
                                        std::uint16_t port,
                                        std::function<void(base::MutableByteSpan)> random) {
  if (config.kind == config::ProxyConfig::Kind::kSocks) {
    return std::make_unique<Socks>(config, host, port);
  }
  return std::make_unique<HttpConnect>(config, host, port, std::move(random));
}

}  // namespace proxy
