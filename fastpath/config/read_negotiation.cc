// SPDX-License-Identifier: Apache-2.0
// TLS mode: which data channel ciphers are offered (OpenVPN protocol: cipher negotiation).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "fastpath/config/reading.h"
#include "ovpn/cipher_name.h"
#include "ovpn/tls_words.h"

namespace config {
namespace {

void data_ciphers(Reading& r, const ovpn::Directive& d) {
  r.data_ciphers = word(d, 0);
  r.data_ciphers_place = d.place;
  if (r.data_ciphers.size() <= ovpn::kCipherListBytesMax) return;
  r.problem(d, "the list is longer than 127 characters", "name fewer ciphers");
}

void data_ciphers_fallback(Reading& r, const ovpn::Directive& d) {
  const ovpn::CipherName* found = ovpn::find_cipher(word(d, 0));
  if (found == nullptr) {
    r.problem(d, "cipher '" + word(d, 0) + "' is not known", "write for example AES-256-CBC");
    return;
  }
  r.tls.negotiation.fallback = found->name;
}

void ncp_disable(Reading& r, const ovpn::Directive& d) {
  r.tls.negotiation.ncp = false;
  r.warning(d.place, "ncp-disable: only `cipher` is offered, as up to OpenVPN 2.5",
            "leave it out, and let both ends agree on a better one");
}

void push_peer_info(Reading& r, const ovpn::Directive&) { r.tls.negotiation.push_peer_info = true; }

// "2.4.0", "2.4": how stock of that time would have read this config.
void compat_mode(Reading& r, const ovpn::Directive& d) {
  const std::string text = word(d, 0);
  const auto version = ovpn::parse_openvpn_version(text);
  if (!version) {
    r.problem(d, "'" + text + "' is no version of OpenVPN", "write for example 2.4.0");
    return;
  }
  r.compat_version = *version;
}

constexpr ReadingRow kRows[] = {
    {"compat-mode", compat_mode},
    {"data-ciphers", data_ciphers},
    {"data-ciphers-fallback", data_ciphers_fallback},
    {"ncp-ciphers", data_ciphers},
    {"ncp-disable", ncp_disable},
    {"push-peer-info", push_peer_info},
};

bool holds(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

void append_unless_there(std::vector<std::string>& list, std::string_view name) {
  if (!holds(list, name)) list.emplace_back(name);
}

void read_list(Reading& r) {
  auto& list = r.tls.negotiation.data_ciphers;
  if (r.data_ciphers.empty()) return;
  const std::vector<std::string> defaults = std::move(list);
  list.clear();
  for (std::string_view entry : base::split(r.data_ciphers, ':')) {
    if (entry == "DEFAULT") {  // 2.7
      for (const std::string& name : defaults) append_unless_there(list, name);
      continue;
    }
    const bool optional = entry.starts_with('?');
    if (optional) entry.remove_prefix(1);
    const ovpn::CipherName* found = ovpn::find_cipher(entry);
    const bool native = found != nullptr && found->mode != ovpn::CipherMode::kStream;
    if (native) {
      append_unless_there(list, found->name);
    } else if (!optional) {
      r.problems.push_back({r.data_ciphers_place,
                            "data-ciphers: '" + std::string(entry) + "' is not known",
                            "leave it out, or write ?" + std::string(entry)});
    }
  }
  if (!list.empty() || !r.problems.empty()) return;
  r.problems.push_back({r.data_ciphers_place, "data-ciphers: no cipher is left",
                        "write for example AES-256-GCM:AES-128-GCM"});
}

// `cipher X` was what a tunnel used until 2.4; 2.5 offered it beside the better ones and 2.6 passes
// over it, by which old configs fail with old servers. It is read as 2.5 did, and that is told.
void read_old_cipher(Reading& r) {
  auto& to = r.tls.negotiation;
  const std::string& cipher = r.config.crypto.cipher;
  if (r.cipher_given) {
    if (!holds(to.data_ciphers, cipher)) {
      to.data_ciphers.push_back(cipher);
      r.warning(r.cipher_place,
                "cipher " + cipher + ": offered after " + to.data_ciphers.front() +
                    ", and used with a peer that cannot negotiate, as OpenVPN 2.5 did",
                "write `data-ciphers` to say which ones you want");
    }
    if (!to.fallback) to.fallback = cipher;
    to.occ_cipher = cipher;
  } else if (to.fallback) {
    to.occ_cipher = *to.fallback;
  } else if (r.compat_version != 0 && r.compat_version < 20400) {
    to.fallback = to.occ_cipher;
    append_unless_there(to.data_ciphers, to.occ_cipher);
  }
}

void warn_about_ciphers(Reading& r) {
  const auto& to = r.tls.negotiation;
  for (const std::string& name : to.data_ciphers) {
    const ovpn::CipherName* cipher = ovpn::find_cipher(name);
    if (cipher == nullptr) continue;
    if (cipher->is_none()) {
      r.warning({}, "cipher none: if the peer wants it, anyone on the way can read all traffic",
                "leave it out");
    } else if (cipher->small_block()) {
      r.warning({}, name + " may be used, whose 64-bit blocks are weak (SWEET32)", "leave it out");
    }
  }
}

}  // namespace

std::span<const ReadingRow> negotiation_rows() { return kRows; }

void finish_negotiation(Reading& r) {
  auto& to = r.tls.negotiation;
  to.auth = r.config.crypto.auth;
  read_list(r);
  read_old_cipher(r);
  if (!to.ncp && !to.fallback) {
    r.problems.push_back({{}, "ncp-disable without `cipher`", "leave ncp-disable out"});
  }
  if (!to.ncp && to.fallback) to.data_ciphers = {*to.fallback};
  warn_about_ciphers(r);
  auto& certificate = r.tls.certificate;
  if (certificate.groups.empty()) certificate.groups = r.groups_of_curve;
  if (!r.version_min_given && r.compat_version != 0 && r.compat_version < 20307) {
    certificate.version_min = "1.0";
  }
  if (!certificate.version_max.empty() && certificate.version_max < certificate.version_min) {
    r.problems.push_back({{},
                          "tls-version-max " + certificate.version_max + " is below " +
                              certificate.version_min + ", the lowest that is taken",
                          "leave tls-version-max out"});
  }
}

}  // namespace config
