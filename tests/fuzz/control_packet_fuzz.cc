// SPDX-License-Identifier: Apache-2.0
// Any bytes as control packets, to a client and a server, plain and wrapped, as a stranger sends
// them and as one would that has the key: nothing but what is authentic changes a session, what is
// kept and told is bounded, and what is parsed is written again as it was.
#include <array>

#include "fastpath/control/wrap_channel.h"
#include "fastpath/control/wrap_key.h"
#include "ovpn/static_key.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/control_world.h"

namespace {

using config::ControlWrap;
using config::TlsRole;

constexpr std::size_t kDatagramMax = 2048;

const std::string& key_text() {
  static const std::string kText = [] {
    ovpn::StaticKey key{base::SecretBytes(ovpn::kStaticKeyBytes)};
    std::uint8_t next = 0;
    for (std::uint8_t& byte : key.bytes.mutable_view()) byte = next++;
    return ovpn::format_static_key(key);
  }();
  return kText;
}

config::TlsConfig config_for(bool server, ControlWrap kind) {
  config::TlsConfig config = server ? support::server_config() : support::client_config();
  config.pull.pull = !server;
  config.wrap.kind = kind;
  config.wrap.key = support::text_file("ta.key", key_text());
  return config;
}

void check_parsers(base::ByteSpan bytes) {
  const auto head = control::parse_head(bytes);
  if (!head) return;
  base::Bytes again(bytes.size());
  base::ByteWriter writer(again);
  control::write_head(*head, writer);
  const auto body = control::parse_body(head->opcode, bytes.subspan(wire::kControlHeadBytes));
  if (!body) return;
  control::write_body(*body, writer);
  FUZZ_CHECK(writer.ok() && writer.size() == bytes.size());
  FUZZ_CHECK(std::equal(bytes.begin(), bytes.end(), again.begin()));
}

class Run {
 public:
  Run(bool server, ControlWrap kind)
      : config_(config_for(server, kind)),
        key_(control::load_wrap_key(config_.wrap, config_.role)),
        peer_(key_.wrap(library_, server ? TlsRole::kClient : TlsRole::kServer), 0) {
    control::SessionParts parts;
    parts.config = &config_;
    parts.random = [](base::MutableByteSpan to) {
      for (std::uint8_t& byte : to) byte = 0x5a;
    };
    parts.wall_clock = [] { return support::kTestNow; };
    session_.emplace(parts, now_);
    session_->start(now_);
    drain();
  }

  void take(bool with_key, base::ByteSpan bytes) {
    now_ += std::chrono::milliseconds(100);
    const auto head = control::parse_head(bytes);
    if (with_key && head) {
      const auto body = control::parse_body(head->opcode, bytes.subspan(wire::kControlHeadBytes));
      if (!body) return;
      base::Bytes out(kDatagramMax + 256);
      out.resize(peer_.seal(*head, *body, support::kTestNow, out));
      session_->handle_datagram(now_, from_, out);
      drain();
      return;
    }
    session_->handle_datagram(now_, from_, bytes);
    // A stranger's packet under a wrapping is worth one warning and nothing else.
    const int told = drain();
    if (config_.wrap.kind != ControlWrap::kNone) FUZZ_CHECK(told <= 1);
  }

 private:
  int drain() {
    session_->handle_timeout(now_);
    std::array<std::uint8_t, kDatagramMax> out;
    std::optional<base::Endpoint> to;
    for (int sent = 0; session_->next_datagram(now_, out, to); ++sent) FUZZ_CHECK(sent < 32);
    int told = 0;
    while (session_->next_event()) FUZZ_CHECK(++told < 64);
    return told;
  }

  config::TlsConfig config_;
  crypto::Library library_;
  control::WrapKey key_;
  control::WrapChannel peer_;
  base::TimePoint now_{std::chrono::seconds(1000)};
  const base::Endpoint from_{*base::IpAddress::parse("192.0.2.1"), 4000};
  std::optional<control::ControlSession> session_;
};

}  // namespace

// Input: which end and wrapping, then records of { kind, length high, length low, bytes }.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  check_parsers({bytes, size});
  base::ByteReader reader({bytes, size});
  const auto which = reader.u8();
  if (!which) return 0;
  Run run(*which % 2 == 1, static_cast<ControlWrap>(*which / 2 % 3));
  while (true) {
    const auto kind = reader.u8();
    const auto length = reader.be16();
    if (!kind || !length) return 0;
    const std::size_t count = std::min({std::size_t{*length}, reader.rest().size(), kDatagramMax});
    run.take(*kind % 2 == 1, *reader.bytes(count));
  }
}
