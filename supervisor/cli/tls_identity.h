// SPDX-License-Identifier: Apache-2.0
// This end's key and certificate in mode fingerprint, as `new` and `key gen` make them.
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/render/artifact.h"

namespace cli {

struct IdentityWish {
  std::string name;  // the site's, and the certificate's CN
  std::string cert_path, key_path;
  bool anew = false;  // whatever is there
};

struct TlsIdentity {
  // To be written, in this order: a key without its certificate is only half of a beginning, which
  // the next run goes on with. Empty: all was there.
  std::vector<render::Artifact> files;
  std::string fingerprint;  // site/fingerprint.h
};

// What is there is used, what is missing is made; nothing is written. Problems: what is there is no
// key or certificate, or the two do not belong together.
base::Result<TlsIdentity> tls_identity(Context& context, const IdentityWish& wish);

}  // namespace cli
