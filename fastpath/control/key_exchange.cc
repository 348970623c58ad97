// SPDX-License-Identifier: Apache-2.0
// The part of PeerSession that exchanges key method 2 and makes data keys of it.
#include <algorithm>
#include <array>

#include "base/printable.h"
#include "fastpath/control/options_match.h"
#include "fastpath/control/peer_session.h"
#include "ovpn/login_text.h"
#include "ovpn/options_string.h"

namespace control {
namespace {

constexpr int kJitterParts = 10;  // OpenVPN protocol: a server renegotiates up to 10 % early

base::SecretBytes random_secret(const SessionCommon& common, std::size_t size) {
  base::SecretBytes bytes(size);
  common.unpredictable(bytes.mutable_view());
  return bytes;
}

// reneg-sec's second word, or a server's habit, makes it a random time.
base::Duration renegotiation_time(const SessionCommon& common) {
  const config::RenegotiationConfig& times = common.config().renegotiation;
  const int limit = times.reneg_seconds;
  const bool server = common.role() == config::TlsRole::kServer;
  const int usual = server ? limit - limit / kJitterParts : limit;
  const int least = std::clamp(times.reneg_seconds_min.value_or(usual), 0, limit);
  std::array<std::uint8_t, 4> random{};
  common.unpredictable(random);
  const auto span = static_cast<std::uint32_t>(limit - least) + 1;
  return std::chrono::seconds(limit - static_cast<int>(base::load_be32(random.data()) % span));
}

}  // namespace

void PeerSession::exchange(base::TimePoint now) {
  Key& key = *primary_;
  const bool client = common_.role() == config::TlsRole::kClient;
  if (!key.state.established()) return;
  if (client && !key.sent) send_key_method(now, key);
  while (!over_) {
    const auto record = key.state.read_record();
    if (!record) break;
    if (key.got) {
      take_record(now, record->view());
      continue;
    }
    take_key_method(key, record->view());
    if (over_ || !key.got) return;
    if (!client) send_key_method(now, key);
    // Later keys are told as soon as they are there: the peer may send under them at once.
    if (agreed_) make_keys(now, key);
    if (client) become_active(now, key);
  }
  if (!over_ && !client && key.sent && !key.active && key.state.all_acknowledged()) {
    become_active(now, key);
  }
}

void PeerSession::send_key_method(base::TimePoint now, Key& key) {
  const config::TlsConfig& config = common_.config();
  const bool client = common_.role() == config::TlsRole::kClient;
  if (client) key.own.pre_master = random_secret(common_, KeySource::kPreMasterBytes);
  key.own.random1 = random_secret(common_, KeySource::kRandomBytes);
  key.own.random2 = random_secret(common_, KeySource::kRandomBytes);
  KeyMethodMessage message;
  message.source = {key.own.pre_master.clone(), key.own.random1.clone(), key.own.random2.clone()};
  message.texts.options = common_.parts.options_string;
  message.texts.peer_info = make_peer_info(config, common_.local);
  if (client && !take_login(message.texts)) return;
  const base::SecretBytes bytes = write_key_method(message);
  key.sent = key.state.write_record(now, bytes.view());
}

// A server's token stands for the password; else what the shell gives is asked for each time.
bool PeerSession::take_login(KeyMethodTexts& texts) {
  const config::CredentialsConfig& config = common_.config().credentials;
  const auto& token = common_.token;
  if (config.wanted && common_.parts.login && !token) {
    std::string problem;
    const ShownLogin login = common_.parts.login(problem);
    if (!problem.empty()) {
      fail(problem);
      return false;
    }
    texts.username = login.username;
    texts.password = login.password;
  } else if (config.wanted) {
    texts.username = config.username;
    texts.password = config.password;
  }
  if (config.wanted && config.username_only) texts.password = ovpn::kBlankPassword;
  if (token) {
    if (!token->first.empty()) texts.username = token->first;
    texts.password = token->second;
  }
  return true;
}

void PeerSession::take_key_method(Key& key, base::ByteSpan record) {
  const auto sender = common_.role() == config::TlsRole::kClient ? config::TlsRole::kServer
                                                                 : config::TlsRole::kClient;
  auto message = parse_key_method(record, sender);
  if (!message) {
    fail("the peer's key exchange message (key method 2) is damaged");
    return;
  }
  key.peer = std::move(message->source);
  key.got = true;
  const std::string name = key.state.tls().peer_name();
  if (!keys_told_) {
    peer_name_ = name;
    take_key_texts(message->texts);
    note("TLS: " + key.state.tls().description() + ", peer " +
         base::loggable(key.state.tls().peer_subject()));
  } else if (name != peer_name_ && common_.role() == config::TlsRole::kServer) {
    fail("the peer came back from a renegotiation as '" + name + "', and was '" + peer_name_ + "'");
  }
}

void PeerSession::take_key_texts(const KeyMethodTexts& texts) {
  peer_info_ = parse_peer_info(texts.peer_info);
  peer_options_ = texts.options;
  for (const auto& each : options_differences(common_.parts.options_string, texts.options)) {
    const std::string difference = base::loggable(ovpn::to_string(each));
    tell(SessionNote{.text = "options differ: " + difference,
                     .warning = true,
                     .option = each.name,
                     .difference = difference});
  }
}

void PeerSession::become_active(base::TimePoint now, Key& key) {
  key.active = true;
  if (common_.config().renegotiation.reneg_seconds > 0) {
    key.renegotiate_at = now + renegotiation_time(common_);
  }
  if (agreed_) return;
  if (common_.config().pull.pull) {
    push_.begin(now);
  } else {
    agree_with_peer(key);
    if (!over_) make_keys(now, key);
  }
}

void PeerSession::agree_with_peer(Key& key) {
  auto agreed = negotiate_with_peer(common_.config(), common_.local, peer_info_, peer_options_);
  if (!agreed) return fail(agreed.error());
  agreed_ = std::move(*agreed);
  if (!agreed_->peer_id || !agreed_->tls_ekm) return;
  std::array<std::uint8_t, 4> id{};
  if (!key.state.tls().export_keys(kPeerIdLabel, base::MutableByteSpan(id).subspan(1))) {
    return fail("OpenSSL exports no keys from TLS");
  }
  agreed_->peer_id = base::load_be32(id.data());
}

std::optional<base::SecretBytes> PeerSession::key_material(Key& key) {
  if (agreed_->tls_ekm) {
    base::SecretBytes material(kKeyMaterialBytes);
    if (!key.state.tls().export_keys(kDataKeysLabel, material.mutable_view())) return std::nullopt;
    return material;
  }
  const bool client = common_.role() == config::TlsRole::kClient;
  return key_material_from_prf(common_.library, {.client = client ? key.own : key.peer,
                                                 .server = client ? key.peer : key.own,
                                                 .client_session = client ? own_ : *remote_,
                                                 .server_session = client ? *remote_ : own_});
}

bool PeerSession::start_dynamic_tls_crypt(Key& key) {
  if (!agreed_->dynamic_tls_crypt || dynamic_wrap_) return true;
  base::SecretBytes exported(ovpn::kStaticKeyBytes);
  if (!key.state.tls().export_keys(kDynamicTlsCryptLabel, exported.mutable_view())) return false;
  const base::SecretBytes mixed = common_.wrap_key.dynamic_key(exported.view());
  dynamic_wrap_.emplace(tls_crypt_wrap(common_.library, mixed.view(), common_.role()), 0);
  return true;
}

void PeerSession::make_keys(base::TimePoint, Key& key) {
  const auto material = key_material(key);
  auto keys = material ? data_keys_from(material->view(), common_.role(), key.state.key_id(),
                                        *agreed_, common_.config().negotiation.auth)
                       : std::nullopt;
  if (!keys || !start_dynamic_tls_crypt(key)) {
    return fail("no keys for cipher " + agreed_->cipher +
                " can be made; leave it out of data-ciphers");
  }
  key.ready = true;
  KeysReady event{
      .keys = std::move(*keys), .first = !keys_told_, .peer_name = peer_name_, .peer = {}};
  if (event.first) event.peer = from_;
  keys_told_ = true;
  tell(std::move(event));
}

}  // namespace control
