// SPDX-License-Identifier: Apache-2.0
// What has to be remembered of a unit of stock OpenVPN whose place a site took, so that it can be
// given back by a command, by a timer and after a boot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "supervisor/cli/context.h"

namespace cli {

struct Adoption {
  std::string site, unit;
  bool active = false;     // the unit ran, or systemd tried to have it run
  bool enabled = false;    // it was started at boot
  bool generated = false;  // so it was, by something else: it is masked, and then unmasked
  bool failing = false;    // it never came to run, although it was started again and again
  bool stands = false;     // the site has its place for good; else the timer gives it back

  friend bool operator==(const Adoption&, const Adoption&) = default;
};

std::string format_adoption(const Adoption& adoption);  // JSON
base::Result<Adoption> parse_adoption(std::string_view file, std::string_view text);

// Of that site; nothing: it was not adopted. A Problem: the note cannot be read.
base::Result<std::optional<Adoption>> adoption_of(Context& context, const std::string& site);
std::vector<std::string> adopted_sites(Context& context);

}  // namespace cli
