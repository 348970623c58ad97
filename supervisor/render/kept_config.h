// SPDX-License-Identifier: Apache-2.0
// The first form of a site: an OpenVPN config that is kept byte for byte, and the few lines of it
// that must read differently where an engine gets it.
#pragma once

#include <string>
#include <vector>

#include "ovpn/directive.h"

namespace render {

// The config's bytes with the site's `options` behind them: what is read in place of the file.
std::string with_options(std::string bytes, const std::vector<std::string>& options);

// Lines in place of one directive of the config. `from` points into the profile.
struct Edit {
  const ovpn::Directive* from = nullptr;
  std::vector<ovpn::Directive> to;  // empty: the line is left out
};

// `bytes` with those edits and nothing else changed: every other byte, its line ends and comments
// stay. An edited line stays visible as a comment. `added` goes to the end.
std::string apply_edits(const std::string& bytes, const std::vector<Edit>& edits,
                        const std::vector<ovpn::Directive>& added);
ovpn::Profile apply_edits(const ovpn::Profile& profile, const std::vector<Edit>& edits,
                          const std::vector<ovpn::Directive>& added);

}  // namespace render
