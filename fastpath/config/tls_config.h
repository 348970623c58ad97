// SPDX-License-Identifier: Apache-2.0
// What a tunnel in TLS mode was asked to be, as plain values. Made once from a Profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace config {

enum class TlsRole { kClient, kServer };  // kServer: tls-server for one peer
enum class ControlWrap { kNone, kTlsAuth, kTlsCrypt, kTlsCryptV2 };

// A file named by a directive. `text` is its content: set when it was written inline, and filled in
// by the loader else. PKCS#12 inline is base64, in a file it is raw.
struct ConfigFile {
  std::string name;  // "[inline]", or the path as written; empty: not given
  std::string text;

  bool given() const { return !name.empty(); }
};

struct WrapConfig {
  ControlWrap kind = ControlWrap::kNone;
  ConfigFile key;
  std::optional<int> direction;  // tls-auth's second word or key-direction: 0, 1, or none
  std::string digest = "SHA1";   // tls-auth: the value of `auth`, not what NCP agrees on
};

struct CertificateConfig {
  ConfigFile ca, cert, key, pkcs12, extra_certs;
  std::string ca_path;             // capath
  ConfigFile crl;                  // crl-verify FILE
  std::string crl_directory;       // crl-verify DIR dir: a file named by the serial number refuses
  std::vector<std::string> fingerprints;  // peer-fingerprint: SHA-256, colon-separated hex
  struct Name {                           // verify-x509-name
    enum class Kind { kSubject, kName, kNamePrefix };
    Kind kind = Kind::kSubject;
    std::string value;
  };
  std::optional<Name> peer_name;
  std::string x509_username_field = "CN";
  std::vector<unsigned> key_usages;           // remote-cert-ku, any of these; 0xA0 ...
  std::string extended_key_usage;             // remote-cert-eku, or what remote-cert-tls implies
  std::optional<TlsRole> remote_cert_tls;     // what the peer's certificate must be good for
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
  std::string passphrase;                        // askpass FILE's first line, filled by the loader
};

struct CredentialsConfig {          // auth-user-pass
  bool wanted = false;
  ConfigFile file;                  // not given: asked for, see CREDENTIALS of the supervisor
  std::string username, password;   // filled in by the loader
  enum class Retry { kNone, kNointeract, kInteract };
  Retry retry = Retry::kNone;       // auth-retry
  bool nocache = false;             // auth-nocache
  std::string static_challenge;     // its text; empty: none
  bool static_challenge_echo = false;
};

struct RenegotiationConfig {
  int reneg_seconds = 3600;               // 0: never by time
  std::optional<std::int64_t> reneg_bytes;  // nothing: by the cipher's block size
  std::int64_t reneg_packets = 0;         // 0: off
  int transition_window_seconds = 3600;   // tran-window
  int hand_window_seconds = 60;
  int tls_timeout_seconds = 2;
  int max_packet_bytes = 1250;            // max-packet-size
};

struct NegotiationConfig {
  // data-ciphers in order, normalised, without '?' entries that are not there.
  std::vector<std::string> data_ciphers = {"AES-256-GCM", "AES-128-GCM", "CHACHA20-POLY1305"};
  std::optional<std::string> fallback;  // data-ciphers-fallback, or `cipher` where stock says so
  std::string occ_cipher = "BF-CBC";    // what the options string says
  std::string auth = "SHA1";            // HMAC of CBC data channels and the options string
  bool ncp = true;                      // false: ncp-disable
  bool push_peer_info = false;
  std::vector<std::pair<std::string, std::string>> peer_info;  // setenv UV_*, IV_PLAT_VER ...
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
