// SPDX-License-Identifier: Apache-2.0
// Both engines run what is told here; a person may not have meant it.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "ovpn/profile_file.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/wipe_blocks.h"
#include "supervisor/render/render.h"
#include "supervisor/render/version_lines.h"

namespace render {
namespace {

constexpr std::string_view kRenegDefault = "3600";  // seconds

bool is_aead(std::string_view name) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(name);
  return cipher != nullptr && cipher->mode == ovpn::CipherMode::kAead;
}

class WeakPoints {
 public:
  explicit WeakPoints(const ovpn::Profile& profile) : profile_(profile) {}

  base::Problems run() {
    check_pings();
    if (!is_tls(profile_)) {
      check_default_cipher();
      check_clear_text();
    } else {
      check_tls_clear_text();
      check_renegotiation();
      check_one_time_password();
      check_old_cipher();
      check_auth();
    }
    return std::move(found_);
  }

 private:
  // A described site's lines have no place in a text that somebody wrote.
  void add(const ovpn::Directive& at, std::string message, std::string remedy) {
    if (at.place.line > 0) found_.push_back({at.place, std::move(message), std::move(remedy)});
  }

  void check_default_cipher() {
    const auto* secret = profile_.last("secret");
    if (secret == nullptr || profile_.has("cipher")) return;
    found_.push_back(
        {secret->place,
         "no cipher line: the default is BF-CBC, whose small blocks give away long transfers",
         "better: `cipher AES-256-CBC` and `auth SHA256`, changed at both ends at once"});
  }

  // In a described site the same is told of its keys (site/mode_check.cc).
  void check_clear_text() {
    const bool keyed = ovpn::tunnel_mode(profile_) == ovpn::TunnelMode::kStaticKey;
    if (ovpn::nothing_authenticates(profile_)) {
      const auto* line = profile_.last("cipher");
      for (const char* other : {"auth", "dev", "remote"}) {
        if (line == nullptr) line = profile_.last(other);
      }
      const std::string what = keyed ? "cipher none and auth none" : "no key";
      if (line != nullptr) {
        add(*line, what + ": everyone on the way can read and change what goes through",
            std::string("better, at both ends at once: ") + (keyed ? "" : "a `secret`, ") +
                "`cipher AES-256-CBC` and `auth SHA256`");
      }
      return;
    }
    const auto* cipher = ovpn::configured_cipher(profile_);
    if (const auto* line = profile_.last("cipher"); line && cipher && cipher->is_none()) {
      add(*line, "cipher none: everyone on the way can read what goes through",
          "better: `cipher AES-256-CBC`, changed at both ends at once");
    }
    const auto* digest = ovpn::configured_digest(profile_);
    if (const auto* line = profile_.last("auth"); line && digest && digest->is_none()) {
      add(*line, "auth none: anyone can put packets into this tunnel",
          "better: `auth SHA256`, changed at both ends at once");
    }
  }

  void check_tls_clear_text() {
    for (const char* name : {"data-ciphers", "ncp-ciphers", "data-ciphers-fallback", "cipher"}) {
      const auto* line = profile_.last(name);
      if (line == nullptr || line->args.empty()) continue;
      for (const std::string_view word : base::split(line->args[0], ':')) {
        const auto* cipher = ovpn::find_cipher(word.starts_with('?') ? word.substr(1) : word);
        if (cipher == nullptr || !cipher->is_none()) continue;
        add(*line,
            std::string(name) + " allows none: with a far end that wants it so, everyone on the " +
                "way can read what goes through",
            "take none out");
        break;
      }
    }
  }

  void check_pings() {
    const auto* line = profile_.last("ping-restart");
    if (line == nullptr || line->args.empty() || line->args[0] != "0") return;
    add(*line, "ping-restart 0: a far end that went away is not noticed",
        "leave the line out, or write `ping-restart 120`");
  }

  void check_renegotiation() {
    const auto* line = profile_.last("reneg-sec");
    if (line == nullptr || line->args.empty() || line->args[0] != "0") return;
    add(*line, "reneg-sec 0: as far as this end goes, the keys are never made anew",
        "leave the line out, unless passwords here are good for one time only");
  }

  void check_one_time_password() {
    const auto* line = profile_.last("static-challenge");
    const std::string seconds = profile_.arg("reneg-sec").value_or(std::string(kRenegDefault));
    if (line == nullptr || seconds == "0") return;
    add(*line,
        "static-challenge: a password for one time is asked for again with new keys, every " +
            seconds + " seconds, unless the server gives a token",
        "write `reneg-sec 0`, or have the server write auth-gen-token");
  }

  bool names_ciphers() const { return profile_.has("data-ciphers") || profile_.has("ncp-ciphers"); }

  void check_old_cipher() {
    const auto* line = profile_.last("cipher");
    if (line == nullptr || line->args.empty() || names_ciphers() || is_aead(line->args[0])) return;
    const std::string& cipher = line->args[0];
    add(*line,
        "cipher " + cipher + " is read as OpenVPN 2.5 did: offered behind the AES-GCM ciphers, " +
            "and used with a far end that does not negotiate; stock 2.6 passes over it",
        "write `data-ciphers AES-256-GCM:AES-128-GCM:" + cipher + "` and `data-ciphers-fallback " +
            cipher + "`");
  }

  // True if no cipher that may come to be used has an HMAC of its own to compute.
  bool only_aead() const {
    std::vector<std::string> names;
    for (const std::string_view directive :
         {"cipher", "data-ciphers", "ncp-ciphers", "data-ciphers-fallback"}) {
      const std::string list = profile_.arg(directive).value_or("");
      for (const std::string_view name : base::split(list, ':')) {
        const std::string_view bare = name.starts_with('?') ? name.substr(1) : name;
        if (!bare.empty()) names.emplace_back(bare);
      }
    }
    return std::all_of(names.begin(), names.end(), is_aead);
  }

  void check_auth() {
    const auto* line = profile_.last("auth");
    if (line == nullptr || line->args.empty() || profile_.has("tls-auth") || !only_aead()) return;
    add(*line, "auth " + line->args[0] + ": no cipher of this config uses it, AEAD needs none",
        "leave the line out");
  }

  const ovpn::Profile& profile_;
  base::Problems found_;
};

}  // namespace

base::Problems weak_points(const ovpn::Profile& profile) {
  ovpn::Profile effective = ovpn::effective_profile(profile);
  base::Problems found = WeakPoints(effective).run();
  ovpn::wipe_blocks(effective);
  return found;
}

}  // namespace render
