// SPDX-License-Identifier: Apache-2.0
// The files that a TLS config names, read into it.
#pragma once

#include <string>

#include "base/error.h"
#include "fastpath/config/tls_config.h"
#include "fastpath/config/tunnel_config.h"

namespace engine {

// Fills in every ConfigFile's text, the passphrase and the credentials; relative names count from
// the working directory. Empty: all there. A key that everybody may read is a warning.
// `credentials_file`: the engine's own --credentials-file, used when the config wants a user name
// but names no file; then the systemd credential "auth-user-pass" (systemd.exec(5)). When nobody
// has them, `username` stays empty and that is a Problem too.
base::Problems load_tls_files(config::TlsConfig& tls, const std::string& credentials_file,
                              base::Problems& warnings);

// User name and password, anew: for a restart, and with auth-nocache before each use.
base::Problems load_credentials(config::CredentialsConfig& credentials,
                                const std::string& credentials_file, base::Problems& warnings);

// Whether user name and password are read for each use and kept nowhere: with auth-nocache, where
// their file can be read then (not after `user`, `group` or `chroot`).
bool rereads_credentials(const config::TunnelConfig& config);
// If so: forgets the password that was read to see that it is there.
void forget_reread_password(config::TunnelConfig& config);

}  // namespace engine
