// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "fastpath/config/proxy_config.h"

namespace proxy {

enum class State {
  kTalking,  // it is the proxy's turn
  kOpen,     // the tunnel stands: from rest() on everything is the far end's
  kAgain,    // the same once more over a new connection: the proxy said what it wants to see
  kRefused,  // see problem()
};

// One talk with a proxy, from the moment a connection to it stands until the connection is the far
// end's. Bytes in, bytes out: no descriptor and no clock. Bounded whatever the proxy sends. Used by
// one thread.
class Dialogue {
 public:
  virtual ~Dialogue() = default;

  // What is said first, over each connection anew.
  virtual base::Bytes begin() = 0;
  // Bytes of the proxy's; what is to be said next is appended to `answer`.
  virtual State take(base::ByteSpan bytes, base::Bytes& answer) = 0;

  // kOpen: what came behind the proxy's last word.
  const base::Bytes& rest() const { return rest_; }
  // kRefused: why, and what to do about it, for a person.
  const std::string& problem() const { return problem_; }

 protected:
  State refuse(std::string problem) {
    problem_ = std::move(problem);
    return State::kRefused;
  }
  base::Bytes rest_;

 private:
  std::string problem_;
};

// A talk about a connection to `host` (name or address) and `port`. `random` fills with
// unpredictable bytes.
std::unique_ptr<Dialogue> make_dialogue(const config::ProxyConfig& config, const std::string& host,
                                        std::uint16_t port,
                                        std::function<void(base::MutableByteSpan)> random);

}  // namespace proxy
