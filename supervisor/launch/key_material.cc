// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/key_material.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "ovpn/client_key.h"
#include "ovpn/profile_file.h"
#include "ovpn/static_key.h"
#include "ovpn/tunnel_kind.h"
#include "ovpn/wipe_blocks.h"
#include "supervisor/pki/certificate.h"

namespace launch {
namespace {

constexpr int kGoodRsaBits = 2048;
constexpr base::UnixSeconds kDaySeconds = 86400;
constexpr base::UnixSeconds kSoonSeconds = 30 * kDaySeconds;

class Examiner {
 public:
  Examiner(const ovpn::Profile& profile, const KeyFiles& files, base::UnixSeconds now,
           const std::string& passphrase)
      : profile_(profile), files_(files), now_(now), passphrase_(passphrase) {}

  KeyFindings run() {
    examine_certificates("ca");
    examine_certificates("cert");
    examine_bundle();
    examine_key();
    examine_wrap("tls-auth");
    examine_wrap("tls-crypt");
    examine_client_key();
    return std::move(findings_);
  }

 private:
  void refuse(std::string_view name, base::Problem problem) {
    problem.message = std::string(name) + ": " + problem.message;
    findings_.problems.push_back(std::move(problem));
  }
  void warn(std::string_view name, base::Place place, const std::string& message,
            std::string remedy) {
    findings_.warnings.push_back(
        {std::move(place), std::string(name) + ": " + message, std::move(remedy)});
  }

  // The last one counts, and `ca [inline]` beside a block says nothing.
  std::optional<KeyText> text_of(std::string_view name) const {
    const auto lines = profile_.all(name);
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const ovpn::Directive& at = **line;
      if (at.body) return KeyText{at.place.file, at.place.line + 1, *at.body, at.place};
      if (at.args.empty() || at.args[0] == "[inline]") continue;
      return files_(at.args[0]);
    }
    return std::nullopt;
  }

  static std::string not_in_it(const KeyText& text, std::string_view wanted) {
    if (base::trim(text.text).empty()) return "there is nothing in it";
    const std::string_view kind = ovpn::kind_of_key(text.text);
    if (kind.empty()) return "there is no " + std::string(wanted) + " in it";
    return "this is " + std::string(kind) + ", not a " + std::string(wanted);
  }

  void examine_certificates(std::string_view name) {
    const auto text = text_of(name);
    if (!text) return;
    const auto reading = pki::read_certificates(text->text);
    if (reading.certificates.empty()) {
      const bool damaged = text->text.find("-----BEGIN CERTIFICATE-----") != std::string_view::npos;
      return refuse(name,
                    {text->place,
                     damaged ? "the certificate in it is damaged" : not_in_it(*text, "certificate"),
                     damaged ? "copy it again, with all its lines"
                             : "it takes PEM text, from -----BEGIN CERTIFICATE----- on"});
    }
    if (reading.damaged_line > 0) {
      warn(name, place_in(*text, reading.damaged_line),
           "this certificate cannot be read, and what stands behind it is not looked at",
           "copy it again, with all its lines, or take it out");
    }
    for (const pki::Certificate& certificate : reading.certificates) {
      const base::Place place = place_in(*text, certificate.line);
      examine_time(name, place, certificate, name == "ca");
      examine_strength(name, place, certificate, &certificate == &reading.certificates.front());
    }
  }

  // Lines say nothing in it. What does not open is the engine's to tell.
  void examine_bundle() {
    const auto text = text_of("pkcs12");
    if (!text) return;
    const auto certificates = pki::read_pkcs12(text->text, passphrase_);
    for (const pki::Certificate& certificate : certificates) {
      examine_time("pkcs12", text->place, certificate, &certificate != &certificates.front());
    }
  }

  static base::Place place_in(const KeyText& text, std::size_t line) {
    return {text.file, text.first_line + line - 1, 0};
  }

  void examine_time(std::string_view name, const base::Place& place,
                    const pki::Certificate& certificate, bool authority) {
    const auto trouble = pki::validity_trouble(certificate, now_);
    const bool begun = now_ >= certificate.not_before;
    const char* renew = authority ? "ask who gave it to you for a new one"
                                  : "have a new one made; the far end refuses this";
    if (!trouble.empty()) return warn(name, place, trouble, begun ? renew : "is the clock right?");
    const base::UnixSeconds left = certificate.not_after - now_;
    if (left > kSoonSeconds) return;
    warn(name, place,
         fmt::format("certificate {} expires on {}, in {} day{}", certificate.subject,
                     pki::day_of(certificate.not_after), left / kDaySeconds,
                     left / kDaySeconds == 1 ? "" : "s"),
         "see to a new one in time");
  }

  // OpenVPN protocol: tls-cert-profile; TLS before 1.2 is only had at level 0.
  int security_level() const {
    const std::string profile = profile_.arg("tls-cert-profile").value_or("legacy");
    const std::string version = profile_.arg("tls-version-min").value_or("");
    if (profile == "insecure" || version == "1.0" || version == "1.1") return 0;
    return profile == "preferred" || profile == "suiteb" ? 2 : 1;
  }

  // SSL_CTX_set_security_level(3): bits of security that a level asks for.
  int bits_wanted() const {
    constexpr int kBits[] = {0, 80, 112};
    return kBits[security_level()];
  }

  // `own`: the first one of `cert`. Nobody looks at the signature of a root.
  void examine_strength(std::string_view name, const base::Place& place,
                        const pki::Certificate& certificate, bool first) {
    const bool own = name == "cert" && first;
    const std::string which = "certificate " + certificate.subject;
    if (certificate.weak_digest) {
      const bool refused = certificate.signature_bits < bits_wanted() && !certificate.names_itself;
      const std::string how = which + " is signed with " + certificate.digest;
      const std::string until = "; `tls-cert-profile insecure` takes it until then";
      if (refused) {
        warn(name, place, how + ", which OpenSSL 3 refuses" + (own ? " at the start" : ""),
             "have it signed anew with SHA-256" + until);
      } else if (certificate.names_itself && name == "ca") {
        warn(name, place, how + "; as a root it is taken, but OpenSSL 3 refuses what it signed so",
             "ask for certificates signed with SHA-256" + until);
      } else {
        warn(name, place, how + ", which can be forged", "have it signed anew with SHA-256");
      }
    }
    if (certificate.rsa_bits == 0 || certificate.rsa_bits >= kGoodRsaBits) return;
    const bool refused = certificate.key_security_bits < bits_wanted();
    warn(name, place,
         fmt::format("{} has an RSA key of {} bits, {}", which, certificate.rsa_bits,
                     refused ? "which OpenSSL 3 refuses" : "which can be broken"),
         fmt::format("have one made with {} bits or more", kGoodRsaBits));
  }

  void examine_key() {
    const auto key = text_of("key");
    if (!key) return;
    // OpenSSL's and PKCS#8's own ways to say so.
    if (key->text.find("ENCRYPTED") != std::string_view::npos) return;
    const auto cert = text_of("cert");
    auto trouble = pki::key_trouble(key->file, key->text, cert ? cert->text : "");
    if (!trouble) return;
    trouble->place = key->place;
    const bool damaged = key->text.find("PRIVATE KEY-----") != std::string_view::npos;
    if (!pki::holds_key(key->text)) {
      trouble->message =
          damaged ? "the private key in it is damaged" : not_in_it(*key, "private key");
    }
    refuse("key", *std::move(trouble));
  }

  void examine_wrap(std::string_view name) {
    const auto text = text_of(name);
    if (!text) return;
    const auto key = ovpn::parse_static_key(text->file, text->text, text->first_line);
    if (key) return;
    base::Problem problem = key.error();
    problem.remedy = ovpn::kCopyStaticKey;
    refuse(name, std::move(problem));
  }

  // The server's end has another kind of key, which only stock reads.
  void examine_client_key() {
    const bool client = profile_.has("client") || profile_.has("tls-client");
    const auto text = client ? text_of("tls-crypt-v2") : std::nullopt;
    if (!text) return;
    const auto key = ovpn::parse_client_key(text->place, text->text);
    if (!key) refuse("tls-crypt-v2", key.error());
  }

  const ovpn::Profile& profile_;
  const KeyFiles& files_;
  const base::UnixSeconds now_;
  const std::string& passphrase_;
  KeyFindings findings_;
};

}  // namespace

KeyFindings examine_keys(const ovpn::Profile& profile, const KeyFiles& files, base::UnixSeconds now,
                         const std::string& passphrase) {
  ovpn::Profile effective = ovpn::effective_profile(profile);
  KeyFindings findings;
  if (ovpn::tls_directive(effective) != nullptr)
    findings = Examiner(effective, files, now, passphrase).run();
  ovpn::wipe_blocks(effective);
  return findings;
}

}  // namespace launch
