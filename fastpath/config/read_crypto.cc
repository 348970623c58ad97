// SPDX-License-Identifier: Apache-2.0
#include "fastpath/config/framing_words.h"
#include "fastpath/config/reading.h"
#include "ovpn/cipher_name.h"

namespace config {
namespace {

constexpr const char* kBetter =
    "better: `cipher AES-256-CBC` and `auth SHA256`, changed at both ends at once";

void read_direction(Reading& r, const ovpn::Directive& d, const std::string& text) {
  if (text == "0") {
    r.config.crypto.direction = ovpn::KeyDirection::kNormal;
    r.key_direction = 0;
  } else if (text == "1") {
    r.config.crypto.direction = ovpn::KeyDirection::kInverse;
    r.key_direction = 1;
  } else {
    r.problem(d, "'" + text + "' is no key direction", "write 0 at one end and 1 at the other");
  }
}

void secret(Reading& r, const ovpn::Directive& d) {
  r.secret_given = true;
  auto& crypto = r.config.crypto;
  // `secret [inline] 1` beside a block, an old spelling, gives the direction alone.
  const bool old_spelling = !d.body && word(d, 0) == "[inline]";
  if (!old_spelling) {
    crypto.secret_inline = d.body.has_value();
    crypto.secret_place = d.place;
    crypto.secret_file = d.body ? "[inline]" : word(d, 0);
    crypto.secret_text = d.body.value_or("");
  }
  const std::size_t direction = d.body && d.args.size() == 1 ? 0 : 1;
  if (d.args.size() > direction) read_direction(r, d, d.args[direction]);
}

void key_direction(Reading& r, const ovpn::Directive& d) { read_direction(r, d, word(d, 0)); }

void cipher(Reading& r, const ovpn::Directive& d) {
  const ovpn::CipherName* found = ovpn::find_cipher(word(d, 0));
  if (found == nullptr) {
    r.problem(d, "cipher '" + word(d, 0) + "' is not known", "write for example AES-256-CBC");
    return;
  }
  r.cipher_given = true;
  r.cipher_place = d.place;
  r.config.crypto.cipher = found->name;
}

void auth(Reading& r, const ovpn::Directive& d) {
  const ovpn::DigestName* found = ovpn::find_digest(word(d, 0));
  if (found == nullptr) {
    r.problem(d, "digest '" + word(d, 0) + "' is not known", "write for example SHA256");
    return;
  }
  r.auth_given = true;
  r.config.crypto.auth = found->name;
}

void no_replay(Reading& r, const ovpn::Directive&) { r.config.crypto.replay = false; }

void replay_window(Reading& r, const ovpn::Directive& d) {
  number_into(r, d, 0, 0, 65536, r.config.crypto.replay_window_packets);
  number_into(r, d, 1, 0, 600, r.config.crypto.replay_window_seconds);
}

void compression(Reading& r, const ovpn::Directive& d) {
  const std::optional<Framing> framing = framing_of_words(d);
  if (!framing) {
    return r.problem(d, d.name + " '" + word(d, 0) + "' is not what the fast path does",
                     "leave it out at both ends");
  }
  r.config.crypto.framing = *framing;
  if (!may_compress(*framing)) return;
  r.warning(d.place,
            d.name + ": what the far end compresses is read; nothing is compressed that is sent",
            "better: no compression at the far end either, for sizes tell what is inside");
}

void allow_compression(Reading& r, const ovpn::Directive& d) {
  r.config.crypto.compression_allowed = word(d, 0) != "no";
}

void persist_key(Reading& r, const ovpn::Directive&) { r.config.crypto.persist_key = true; }

void acknowledge_cleartext(Reading& r, const ovpn::Directive&) {
  r.config.crypto.acknowledge_cleartext = true;
}

constexpr ReadingRow kRows[] = {
    {"acknowledge-cleartext", acknowledge_cleartext},
    {"allow-compression", allow_compression},
    {"auth", auth},
    {"cipher", cipher},
    {"comp-lzo", compression},
    {"compress", compression},
    {"key-direction", key_direction},
    {"no-replay", no_replay},
    {"persist-key", persist_key},
    {"replay-window", replay_window},
    {"secret", secret},
};

void warn_about_strength(Reading& r) {
  const auto& crypto = r.config.crypto;
  const ovpn::CipherName* cipher = ovpn::find_cipher(crypto.cipher);
  if (crypto.cipher == "none" && crypto.auth == "none") {
    r.warning(
        {},
        "cipher none and auth none: all traffic goes in clear text, and anyone on the way can "
        "read and forge it",
        kBetter);
  } else if (crypto.cipher == "none") {
    r.warning({}, "cipher none: traffic is authenticated but anyone on the way can read it",
              kBetter);
  } else if (crypto.auth == "none") {
    r.warning({}, "auth none: anyone on the way can change traffic unnoticed", kBetter);
  }
  if (cipher != nullptr && cipher->small_block()) {
    const std::string which = r.cipher_given ? "cipher " : "no `cipher` line, so the default ";
    r.warning({}, which + crypto.cipher + " is used, whose 64-bit blocks are weak (SWEET32)",
              kBetter);
  }
  if (!crypto.replay) {
    r.warning({}, "no-replay: recorded packets can be sent again by anyone on the way",
              "leave it out at both ends");
  }
}

// Where nothing authenticates, with a key or without.
void warn_about_sources(Reading& r) {
  if (r.config.link.remotes.empty()) {
    r.warning({}, "nothing authenticates and no remote: whoever sends first is taken for the peer",
              "name the peer with `remote`");
  }
  if (r.config.link.float_allowed) {
    r.warning({},
              "float does nothing where nothing authenticates: anybody could take the tunnel over",
              "leave it out, or use a `secret` with an `auth`");
  }
}

}  // namespace

std::span<const ReadingRow> crypto_rows() { return kRows; }

void finish_crypto(Reading& r) {
  auto& crypto = r.config.crypto;
  if (r.tls_mode()) return;
  if (r.secret_given) {
    if (crypto.secret_file.empty()) {
      r.problems.push_back({{},
                            "`secret [inline]`, but there is no <secret> block",
                            "add the block with the key"});
    }
    warn_about_strength(r);
    if (!crypto.authenticates()) warn_about_sources(r);
    return;
  }
  // Stock OpenVPN runs in clear text whenever it finds neither a key nor TLS. A forgotten line must
  // not do that here: cleartext has to be meant.
  const bool meant =
      crypto.acknowledge_cleartext ||
      (r.cipher_given && r.auth_given && crypto.cipher == "none" && crypto.auth == "none");
  if (!meant) {
    r.problems.push_back({{},
                          "no `secret` and no TLS: this would be a cleartext tunnel",
                          "add `secret FILE`, or write `cipher none` and `auth none` to mean it"});
    return;
  }
  crypto.null_mode = true;
  crypto.cipher = crypto.auth = "none";
  r.warning({},
            "no key: all traffic goes in clear text, and anyone on the way can read and forge it",
            "better: a `secret` with `cipher AES-256-CBC` and `auth SHA256` at both ends");
  warn_about_sources(r);
}

}  // namespace config
