// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a peer says inside TLS: key method 2, the texts, options that are pushed.
#include "base/printable.h"
#include "fastpath/control/key_method.h"
#include "fastpath/control/limits.h"
#include "fastpath/control/negotiation.h"
#include "fastpath/control/options_match.h"
#include "fastpath/control/push_dialogue.h"
#include "fastpath/control/text_message.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

void check_key_method(base::ByteSpan bytes) {
  for (const config::TlsRole sender : {config::TlsRole::kClient, config::TlsRole::kServer}) {
    const auto message = control::parse_key_method(bytes, sender);
    if (!message) continue;
    control::parse_peer_info(message->texts.peer_info);
    control::options_differences("V4,dev-type tun,tun-mtu 1500", message->texts.options);
    const auto again =
        control::parse_key_method(control::write_key_method(*message).view(), sender);
    FUZZ_CHECK(again && again->texts.options == message->texts.options);
    FUZZ_CHECK(again->texts.username == message->texts.username);
    FUZZ_CHECK(again->texts.peer_info == message->texts.peer_info);
  }
}

void check_push(control::PushDialogue& push, std::string_view rest) {
  if (push.take(rest) != control::PushDialogue::Outcome::kComplete) return;
  std::vector<std::string> options = push.take_options();
  std::size_t bytes = 0;
  for (const std::string& option : options) bytes += option.size();
  FUZZ_CHECK(bytes <= control::kPushOptionsBytesMax);
  const auto terms = control::read_terms(options);
  for (const std::string& option : options) FUZZ_CHECK(!option.starts_with("auth-token"));
  if (!terms) return;
  const config::NegotiationConfig config;
  const auto agreed = control::negotiate_with_server(config, {}, *terms, "V4,cipher AES-256-CBC");
  if (agreed) FUZZ_CHECK(!agreed->cipher.empty() && !agreed->epoch);
}

void check_texts(base::ByteSpan bytes) {
  config::PullConfig pull;
  pull.filters = {{config::PullFilter::Action::kIgnore, "x"}};
  const config::RenegotiationConfig times;
  control::PushDialogue push(pull, times);
  int damaged = 0;
  for (const std::string& text : control::split_texts(base::as_text(bytes), damaged)) {
    const control::TextMessage message = control::parse_text(text);
    check_push(push, message.rest);
    const auto failed = control::parse_auth_failed(message.rest);
    FUZZ_CHECK(failed.backoff_seconds.value_or(0) >= 0);
    control::parse_dynamic_challenge(failed.reason);
    push.extend(control::parse_auth_pending(message.rest).timeout_seconds);
    control::parse_restart(message.rest);
    FUZZ_CHECK(base::loggable(text).size() <= 259);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check_key_method({bytes, size});
  check_texts({bytes, size});
  return 0;
}
