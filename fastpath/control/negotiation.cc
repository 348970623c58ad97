// SPDX-License-Identifier: Apache-2.0
#include "fastpath/control/negotiation.h"

#include <algorithm>

#include "base/secret_bytes.h"
#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "ovpn/line_words.h"

namespace control {
namespace {

constexpr std::uint32_t kPeerIdMax = 0xFFFFFF;

std::string normalised(std::string_view name) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(name);
  return std::string(cipher == nullptr ? name : cipher->name);
}

bool is_aead(const std::string& name) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(name);
  return cipher != nullptr && cipher->mode == ovpn::CipherMode::kAead;
}

// Whether our config lets this cipher be used.
bool allowed(const config::NegotiationConfig& config, const std::string& cipher) {
  const auto same = [&cipher](const std::string& each) { return normalised(each) == cipher; };
  return std::ranges::any_of(config.data_ciphers, same) ||
         (config.fallback && same(*config.fallback));
}

// The `cipher` word of an options string; empty: not told.
std::string cipher_in(std::string_view options) {
  constexpr std::string_view kWord = "cipher ";
  for (const std::string_view option : base::split(options, ',')) {
    if (option.starts_with(kWord)) return normalised(option.substr(kWord.size()));
  }
  return "";
}

struct Chosen {
  std::string cipher;
};

// OpenVPN protocol: an end that cannot negotiate tells its cipher in the options string only.
base::Result<Chosen, std::string> cipher_without_negotiation(
    const config::NegotiationConfig& config, std::string_view peer_options) {
  const std::string theirs = cipher_in(peer_options);
  if (!theirs.empty() && theirs != "[null-cipher]" && allowed(config, theirs))
    return Chosen{theirs};
  if (config.fallback && (theirs.empty() || !config.ncp)) {
    return Chosen{normalised(*config.fallback)};
  }
  if (theirs.empty()) {
    return std::string(
        "the peer does not say which cipher it uses; write data-ciphers-fallback with its cipher");
  }
  return "the peer uses cipher " + theirs + ", which data-ciphers does not allow; add it there";
}

std::string read_flags(const std::vector<std::string>& words, PushedTerms& terms) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "cc-exit") {
      terms.exit_notify = true;
    } else if (words[i] == "tls-ekm") {
      terms.tls_ekm = true;
    } else if (words[i] == "dyn-tls-crypt") {
      terms.dynamic_tls_crypt = true;
    } else if (words[i] == "aead-epoch") {
      terms.epoch = true;
    } else {
      // The server goes by it already, so to go on without it cannot work.
      return "the server pushed the protocol flag '" + words[i] + "', which is not supported";
    }
  }
  return "";
}

// The reason why not, or empty.
std::string read_term(const std::vector<std::string>& words, PushedTerms& terms) {
  const std::string& name = words[0];
  const std::string value = words.size() > 1 ? words[1] : "";
  if (name == "cipher") terms.cipher = normalised(value);
  if (name == "auth-token") terms.auth_token = value;
  if (name == "auth-token-user") terms.auth_token_user = value;
  if (name == "protocol-flags") return read_flags(words, terms);
  if (name == "key-derivation") {
    if (value != "tls-ekm") return "the server pushed an unknown key-derivation '" + value + "'";
    terms.tls_ekm = true;
  }
  if (name == "peer-id") {
    const auto id = base::parse_number<std::uint32_t>(value);
    if (!id || *id > kPeerIdMax) return "the server pushed the impossible peer-id '" + value + "'";
    terms.peer_id = *id;
  }
  return "";
}

std::string epoch_trouble(const Negotiated& agreed) {
  if (!agreed.epoch) return "";
  if (agreed.peer_id && agreed.tls_ekm && is_aead(agreed.cipher)) return "";
  return "the server wants aead-epoch without peer-id, tls-ekm and an AEAD cipher";
}

}  // namespace

base::Result<PushedTerms, std::string> read_terms(std::vector<std::string>& options) {
  PushedTerms terms;
  std::vector<std::string> kept;
  std::string first_trouble;
  for (std::string& option : options) {
    const ovpn::LineWords line = ovpn::split_config_line(option);
    const bool readable = !line.error && !line.words.empty();
    std::string trouble = readable ? read_term(line.words, terms) : std::string();
    if (first_trouble.empty()) first_trouble = std::move(trouble);
    // Whatever else is wrong: what may hold a token goes no further, where it might be logged.
    const std::string_view name = readable ? std::string_view(line.words[0]) : base::trim(option);
    if (name.starts_with("auth-token")) {
      base::wipe(option);
    } else {
      kept.push_back(std::move(option));
    }
  }
  options = std::move(kept);
  if (!first_trouble.empty()) return first_trouble;
  return terms;
}

NegotiationResult negotiate_with_server(const config::NegotiationConfig& config,
                                        const LocalAbilities& local, const PushedTerms& pushed,
                                        std::string_view server_options) {
  Negotiated agreed{.cipher = pushed.cipher.value_or(""),
                    .peer_id = pushed.peer_id,
                    .tls_ekm = pushed.tls_ekm,
                    .dynamic_tls_crypt = pushed.dynamic_tls_crypt,
                    .exit_notify = pushed.exit_notify,
                    .epoch = pushed.epoch};
  if (pushed.cipher) {
    if (!allowed(config, agreed.cipher)) {
      return "the server chose cipher " + agreed.cipher +
             ", which data-ciphers does not allow; add it there";
    }
  } else {
    auto cipher = cipher_without_negotiation(config, server_options);
    if (!cipher) return cipher.error();
    agreed.cipher = std::move(cipher->cipher);
  }
  if (agreed.epoch && !local.epoch_format) {
    return std::string("the server pushed aead-epoch, which was not offered");
  }
  if (std::string trouble = epoch_trouble(agreed); !trouble.empty()) return trouble;
  return agreed;
}

NegotiationResult negotiate_with_peer(const config::TlsConfig& config, const LocalAbilities& local,
                                      const PeerInfo& peer, std::string_view peer_options) {
  const config::NegotiationConfig& own = config.negotiation;
  Negotiated agreed;
  if (!peer.can(kProtoP2pNegotiation) || !own.ncp) {
    auto cipher = cipher_without_negotiation(own, peer_options);
    if (!cipher) return cipher.error();
    agreed.cipher = std::move(cipher->cipher);
    return agreed;
  }
  // The server's order counts.
  const bool server = config.role == config::TlsRole::kServer;
  const std::vector<std::string>& first = server ? own.data_ciphers : peer.ciphers;
  const std::vector<std::string>& second = server ? peer.ciphers : own.data_ciphers;
  const auto chosen = std::ranges::find_if(first, [&second](const std::string& each) {
    return std::ranges::any_of(second, [&each](const std::string& other) {
      return normalised(other) == normalised(each);
    });
  });
  if (chosen == first.end() && !own.fallback) {
    return std::string("no data cipher in common with the peer; see data-ciphers at both ends");
  }
  agreed.cipher = normalised(chosen == first.end() ? *own.fallback : *chosen);
  agreed.tls_ekm = peer.can(kProtoTlsKeyExport);
  agreed.dynamic_tls_crypt = peer.can(kProtoDynamicTlsCrypt);
  agreed.exit_notify = peer.can(kProtoExitNotify);
  if (peer.can(kProtoDataV2)) agreed.peer_id = kP2pPeerId;
  agreed.epoch = local.epoch_format && peer.can(kProtoDataEpoch) && is_aead(agreed.cipher) &&
                 agreed.tls_ekm && agreed.peer_id;
  return agreed;
}

}  // namespace control
