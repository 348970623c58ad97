// SPDX-License-Identifier: Apache-2.0
// What a config wants to know of a person: user names, passwords, passphrases. Each is a small file
// below the site's keys, and the engine gets a config that names its copy; so both engines are told
// in one way, and nothing stands on a command line or in an environment.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ovpn/directive.h"
#include "supervisor/render/output_folder.h"
#include "supervisor/render/render.h"

namespace render {

struct Login {
  std::string_view name;  // as FileDirective::login
  ovpn::LoginKind kind = ovpn::LoginKind::kServer;
  bool optional = false;  // it may turn out that nobody asks for it
  // The line that wants it. Nothing: a private key that may be encrypted, without an askpass line.
  const ovpn::Directive* line = nullptr;
};

// In the order in which a person is asked. What stands inside of the config is not among them.
std::vector<Login> wanted_logins(const ovpn::Profile& profile);

// What takes the place of Login::line when the login is in the file `path`.
std::vector<ovpn::Directive> login_lines(const Login& login, const std::string& path);

// Where an engine finds the login: beside its config, or where systemd holds it; nothing if it is
// not there and the line stays as it is. For a unit it is named all the same: `prepare` sees to it
// that no engine looks for it in vain.
std::optional<std::string> login_path(const Login& login, const RenderInput& input,
                                      OutputFolder& out);

// The profile as an engine gets it once all that it must know is there.
ovpn::Profile with_logins(const ovpn::Profile& profile);

// Proxies inside of <connection> with a login of their own: a block is kept as it is, so the file
// could not be named where an engine can read it.
base::Problems logins_in_blocks(const ovpn::Profile& profile);

// "auth-user-pass: nobody has given the user name and the password".
std::string missing_words(const FileNeed& login);

// Whether the private key asks for a passphrase, as far as its text tells. A PKCS#12 file does not
// tell: true, it may.
enum class KeyState { kOpen, kEncrypted, kMayBeEncrypted };
KeyState key_state(const ovpn::Profile& profile, const std::map<std::string, std::string>& files);

}  // namespace render
