// SPDX-License-Identifier: Apache-2.0
#include "supervisor/render/version_lines.h"

#include <algorithm>
#include <utility>

#include "ovpn/cipher_name.h"

namespace render {
namespace {

constexpr const char* kStaticOptIn = "allow-deprecated-insecure-static-crypto";

ovpn::Directive line(std::string name, std::vector<std::string> args) {
  return {std::move(name), std::move(args), std::nullopt, {}};
}

bool has_legacy_cipher(const ovpn::Profile& profile) {
  if (!profile.has("secret")) return false;
  const auto* cipher =
      ovpn::find_cipher(profile.arg("cipher").value_or(std::string(ovpn::kDefaultCipher)));
  return cipher != nullptr && cipher->legacy;
}

// 2.6 brought `providers`, 2.7 the opt-in; an older one stops at a name it does not know, unless
// the line is wrapped in `setenv opt`.
std::vector<ovpn::Directive> wanted(const ovpn::Profile& profile, ForVersion version) {
  const bool any = version == ForVersion::kAny;
  std::vector<ovpn::Directive> lines;
  if (has_legacy_cipher(profile) && version != ForVersion::k25) {
    lines.push_back(any ? line("setenv", {"opt", "providers", "legacy", "default"})
                        : line("providers", {"legacy", "default"}));
  }
  if (any) lines.push_back(line("setenv", {"opt", kStaticOptIn}));
  if (version == ForVersion::k27) lines.push_back(line(kStaticOptIn, {}));
  return lines;
}

}  // namespace

bool is_tls(const ovpn::Profile& profile) {
  return profile.has("client") || profile.has("tls-client") || profile.has("server") ||
         profile.has("tls-server");
}

std::vector<ovpn::Directive> version_lines(const ovpn::Profile& profile, ForVersion version) {
  if (is_tls(profile)) return {};
  auto lines = wanted(profile, version);
  std::erase_if(lines, [&profile](const ovpn::Directive& wish) {
    const auto& have = profile.directives;
    return std::any_of(have.begin(), have.end(), [&wish](const ovpn::Directive& other) {
      return other.name == wish.name && other.args == wish.args;
    });
  });
  return lines;
}

std::vector<std::string> stock_arguments(const ovpn::Profile& profile, ForVersion version) {
  std::vector<std::string> arguments;
  if (version == ForVersion::kAny) return arguments;
  for (const ovpn::Directive& wish : version_lines(profile, version)) {
    arguments.push_back("--" + wish.name);
    arguments.insert(arguments.end(), wish.args.begin(), wish.args.end());
  }
  return arguments;
}

}  // namespace render
