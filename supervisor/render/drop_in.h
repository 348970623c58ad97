// SPDX-License-Identifier: Apache-2.0
// The part of a site that systemd itself must know: tunctl@NAME.service.d/10-tunctl.conf.
#pragma once

#include <string>
#include <vector>

#include "ovpn/directive.h"
#include "supervisor/site/site.h"

namespace render {

struct DropInInput {
  const site::Site& site;
  const ovpn::Profile& profile;  // the near end as rendered: tells ports below 1024
  std::vector<int> cpus;         // resolved run.cpus (placement); empty: none asked
  int systemd_version = 0;       // steps between restarts are written from 254 on; 252 would warn
  int nice = 0;                  // Rendered::nice
};

// Pure and stable: the same site gives the same bytes, so `status` can tell a stale drop-in.
std::string render_drop_in(const DropInInput& input);

}  // namespace render
