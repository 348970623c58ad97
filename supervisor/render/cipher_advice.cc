// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/cipher_advice.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "ovpn/cipher_name.h"
#include "supervisor/render/version_lines.h"

namespace render {
namespace {

// What 2.6 and 2.7 offer where the config names none, and the native engine with them.
constexpr std::string_view kOffered = "AES-256-GCM:AES-128-GCM:CHACHA20-POLY1305";
constexpr std::string_view kChaCha = "CHACHA20-POLY1305";

bool is_aead(const std::string& name) {
  const ovpn::CipherName* cipher = ovpn::find_cipher(name);
  return cipher != nullptr && cipher->mode == ovpn::CipherMode::kAead;
}

bool is_aes(const std::string& name) { return base::to_lower(name).starts_with("aes"); }

void add_list(const std::string& list, std::vector<std::string>& names) {
  for (std::string_view name : base::split(list, ':')) {
    if (name.starts_with('?')) name.remove_prefix(1);
    const ovpn::CipherName* known = ovpn::find_cipher(name);
    std::string spelled(known == nullptr ? name : known->name);
    const bool there = std::find(names.begin(), names.end(), spelled) != names.end();
    if (!spelled.empty() && !there) names.push_back(std::move(spelled));
  }
}

// ARM's and x86's processors name it alike; a list without a word is one that could not be read.
bool lacks_aes(const base::Machine& machine) {
  const auto& words = machine.features;
  return !words.empty() && std::find(words.begin(), words.end(), "aes") == words.end();
}

}  // namespace

std::vector<std::string> data_ciphers(const ovpn::Profile& profile) {
  std::vector<std::string> names;
  if (!is_tls(profile)) {
    add_list(profile.arg("cipher").value_or(std::string(ovpn::kDefaultCipher)), names);
    return names;
  }
  for (const std::string_view directive : {"data-ciphers", "ncp-ciphers"}) {
    if (names.empty()) add_list(profile.arg(directive).value_or(""), names);
  }
  if (names.empty()) add_list(std::string(kOffered), names);
  add_list(profile.arg("data-ciphers-fallback").value_or(profile.arg("cipher").value_or("")),
           names);
  return names;
}

std::vector<std::string> cipher_advice(const ovpn::Profile& profile, const base::Machine& machine) {
  std::vector<std::string> advice;
  const auto names = data_ciphers(profile);
  if (!is_tls(profile)) {
    if (lacks_aes(machine) && is_aes(names.front())) {
      advice.push_back("this CPU has no AES instructions, and a static key no other cipher as good; "
                       "mode fingerprint could use " + std::string(kChaCha));
    }
    return advice;
  }
  const auto auth = profile.arg("auth");
  if (auth && std::all_of(names.begin(), names.end(), is_aead)) {
    advice.push_back("auth " + *auth + " is not used on the data channel: " + names.front() +
                     " authenticates by itself" +
                     (profile.has("tls-auth") ? "; tls-auth alone uses it" : ""));
  }
  if (lacks_aes(machine) && is_aes(names.front())) {
    advice.push_back("this CPU has no AES instructions: " + std::string(kChaCha) +
                     " would cost it less, where the far end has it; put it first into "
                     "data-ciphers");
  }
  return advice;
}

}  // namespace render
