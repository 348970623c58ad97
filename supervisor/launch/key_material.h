// SPDX-License-Identifier: Apache-2.0
// Certificates and keys of a kept config, as an engine will find them: what would end it at its
// start is told before, with file and line, and what is stale is a warning.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/time.h"
#include "ovpn/directive.h"

namespace launch {

// A key's or certificate's text where it was found.
struct KeyText {
  std::string file;
  std::size_t first_line = 1;  // of `file`, on which the text begins
  std::string_view text;
  base::Place place;  // what to point at when it is about the whole
};

// The file that a directive names, by its words; nothing: it was not read, and that was told.
using KeyFiles = std::function<std::optional<KeyText>(const std::string& written)>;

struct KeyFindings {
  base::Problems problems;  // both engines end on these
  base::Problems warnings;
};

// Looks at nothing in a config without TLS. What wants a passphrase is left to whoever has it, but
// for a PKCS#12 file that `passphrase`, as far as it is known, opens.
KeyFindings examine_keys(const ovpn::Profile& profile, const KeyFiles& files, base::UnixSeconds now,
                         const std::string& passphrase = {});

}  // namespace launch
