// SPDX-License-Identifier: Apache-2.0
// Any bytes as a proxy's words, in any pieces: the talk ends bounded, whatever was said.
#include <algorithm>

#include "fastpath/proxy/dialogue.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

// Input: one byte of settings, then pieces of { length, bytes }.
config::ProxyConfig settings(std::uint8_t which) {
  config::ProxyConfig config;
  config.kind =
      which % 2 == 0 ? config::ProxyConfig::Kind::kHttp : config::ProxyConfig::Kind::kSocks;
  config.login = static_cast<config::ProxyConfig::Login>(which / 2 % 4);
  if (which & 8) config.login_text = "user\npass\n";
  return config;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  base::ByteReader reader({bytes, size});
  const auto which = reader.u8();
  if (!which) return 0;
  const auto talk =
      proxy::make_dialogue(settings(*which), "vpn.example", 1194,
                           [](base::MutableByteSpan to) { std::fill(to.begin(), to.end(), 0x2a); });
  FUZZ_CHECK(!talk->begin().empty());
  int again = 0;
  while (const auto length = reader.u8()) {
    const auto piece = reader.bytes(std::min<std::size_t>(*length, reader.rest().size()));
    base::Bytes answer;
    const proxy::State state = talk->take(*piece, answer);
    FUZZ_CHECK(answer.size() < 1024);
    if (state == proxy::State::kOpen) {
      FUZZ_CHECK(talk->rest().size() <= size);
      return 0;
    }
    if (state == proxy::State::kRefused) {
      FUZZ_CHECK(!talk->problem().empty() && talk->problem().size() < 512);
      return 0;
    }
    if (state == proxy::State::kAgain) {
      FUZZ_CHECK(++again < 8);
      FUZZ_CHECK(talk->begin().size() < 65536);
    }
  }
  return 0;
}
