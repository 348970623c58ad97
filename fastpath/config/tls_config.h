// SPDX-License-Identifier: Apache-2.0
// What a tunnel in TLS mode was asked to be, as plain values. Made once from a Profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/secret_bytes.h"

namespace config {

enum class TlsRole { kClient, kServer };  // kServer: tls-server for one peer
enum class ControlWrap { kNone, kTlsAuth, kTlsCrypt, kTlsCryptV2 };

// A file named by a directive. `text` is its content: set when it was written inline, and filled in
// by the loader else; wiped with the value, for it may be a key. PKCS#12 inline is base64, in a
// file it is raw.
struct ConfigFile {
  std::string name = {};  // "[inline]", or the path as written; empty: not given
  std::string text = {};
  base::Place place = {};  // of the line that names it

  // For messages: the path, or the place of the block in the config.
  std::string shown() const { return inlined() && place.line > 0 ? base::to_string(place) : name; }

  ~ConfigFile() { base::wipe(text); }
  bool given() const { return !name.empty(); }
  bool inlined() const { return name == "[inline]"; }
};

struct WrapConfig {
  ControlWrap kind = ControlWrap::kNone;
  ConfigFile key;
  std::optional<int> direction;  // tls-auth's second word or key-direction: 0, 1, or none
  std::string digest = "SHA1";   // tls-auth: the value of `auth`, not what NCP agrees on
};

inline constexpr unsigned kAnyKeyUsage = 0xffff;  // OpenVPN's OPENVPN_KU_REQUIRED

struct CertificateConfig {
  ConfigFile ca, cert, key, pkcs12, extra_certs;
  std::string ca_path;        // capath
  ConfigFile crl;             // crl-verify FILE
  std::string crl_directory;  // crl-verify DIR dir: a file named by the serial number refuses
  std::vector<std::string> fingerprints;  // peer-fingerprint: SHA-256, colon-separated hex
  struct Name {                           // verify-x509-name
    enum class Kind { kSubject, kName, kNamePrefix };
    Kind kind = Kind::kSubject;
    std::string value;
  };
  std::optional<Name> peer_name;
  std::string x509_username_field = "CN";
  // remote-cert-ku: the peer's usages must hold all bits of any of these (0xA0 ...). kAnyKeyUsage:
  // it must have some.
  std::vector<unsigned> key_usages;
  std::string extended_key_usage;  // remote-cert-eku: its OID or OpenSSL's name
  // remote-cert-tls, by itself: some key usage, and the extended usage of that role.
  std::optional<TlsRole> remote_cert_tls;
  std::optional<TlsRole> netscape_cert_type;  // ns-cert-type
  struct Hash {                               // verify-hash, at depth 1
    std::string digest = "SHA256";
    std::vector<std::string> values;
  };
  std::optional<Hash> issuer_hash;
  std::string version_min = "1.2", version_max;  // tls-version-min/max; empty: the library's
  std::string ciphers, ciphersuites, groups;     // tls-cipher, tls-ciphersuites, tls-groups
  std::string profile;                           // tls-cert-profile; empty: legacy
  ConfigFile dh;                                 // kServer; empty or "none": ECDH only
  bool askpass = false;                          // without a file: nobody is there to be asked
  ConfigFile passphrase_file;                    // askpass FILE
  std::string passphrase;                        // its first line, filled in by the loader

  ~CertificateConfig() { base::wipe(passphrase); }
};

struct CredentialsConfig {  // auth-user-pass
  bool wanted = false;
  bool username_only = false;      // auth-user-pass username-only (2.7): the password is [[BLANK]]
  ConfigFile file;                 // not given: the engine's own --credentials-file, or a systemd
                                   // credential named auth-user-pass
  std::string username, password;  // filled in by the loader; empty: not to be had
  std::string token, token_user;   // auth-token, auth-token-user (base64) of the file itself
  enum class Retry { kNone, kNointeract, kInteract };
  Retry retry = Retry::kNone;    // auth-retry
  bool nocache = false;          // auth-nocache
  std::string static_challenge;  // its text; empty: none
  bool static_challenge_echo = false;
  bool static_challenge_concat = false;  // 2.7: the answer is appended to the password as it is

  ~CredentialsConfig() {
    base::wipe(password);
    base::wipe(token);
  }
};

struct RenegotiationConfig {
  int reneg_seconds = 3600;                 // 0: never by time
  std::optional<int> reneg_seconds_min;     // reneg-sec's second word: a random time between
  std::optional<std::int64_t> reneg_bytes;  // nothing: by the cipher's block size
  std::int64_t reneg_packets = 0;           // 0: off
  int transition_window_seconds = 3600;     // tran-window
  int hand_window_seconds = 60;
  int tls_timeout_seconds = 2;
  int max_packet_bytes = 1250;  // max-packet-size
};

struct NegotiationConfig {
  // data-ciphers in order, normalised, without '?' entries that are not there. `cipher X` is added
  // at the end, as 2.5 does.
  std::vector<std::string> data_ciphers = {"AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305"};
  // With a peer that cannot negotiate: data-ciphers-fallback, else `cipher` if there is such a
  // line.
  std::optional<std::string> fallback;
  std::string occ_cipher = "BF-CBC";  // what the options string says
  std::string auth = "SHA1";          // HMAC of CBC data channels and the options string
  bool ncp = true;                    // false: ncp-disable; only `fallback` is used
  bool push_peer_info = false;
  // setenv UV_*, IV_PLAT_VER, IV_GUI_VER, IV_SSO. UV_* are told with push_peer_info only.
  std::vector<std::pair<std::string, std::string>> peer_info;
};

struct PullFilter {
  enum class Action { kAccept, kIgnore, kReject };
  Action action = Action::kAccept;
  std::string prefix;
};

struct PullConfig {
  bool pull = false;  // client, or pull
  bool route_nopull = false;
  std::vector<PullFilter> filters;  // first match wins
};

struct TlsConfig {
  TlsRole role = TlsRole::kClient;
  WrapConfig wrap;
  CertificateConfig certificate;
  CredentialsConfig credentials;
  RenegotiationConfig renegotiation;
  NegotiationConfig negotiation;
  PullConfig pull;
  bool single_session = false;
  bool tls_exit = false;
  int auth_failed_wait_seconds = 0;
};

}  // namespace config
