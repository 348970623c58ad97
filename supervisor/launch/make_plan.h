// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ovpn/directive.h"
#include "supervisor/launch/launch_plan.h"
#include "supervisor/placement/placement.h"
#include "supervisor/render/render.h"
#include "supervisor/site/site.h"

namespace launch {

struct PlanInput {
  const site::Site& site;
  const ovpn::Profile& profile;  // as rendered for the unit
  const render::EngineDecision& engine;
  const placement::CpuChoice& cpus;
  std::string fastpath, openvpn;  // programs
  std::string runtime_folder, state_folder;
  int nice = 0;           // render::Rendered's
  std::string root = {};  // of the paths, for commands that a person is told
};

// Pure.
LaunchPlan make_plan(const PlanInput& input);

// What the tunnel takes from the machine, to look whether it is free. `port` 0: any, or no UDP.
struct Footing {
  int port = 0;
  std::string local;      // the address to bind, as written; empty: all
  std::string interface;  // empty: none
};
Footing footing_of(const ovpn::Profile& profile);

}  // namespace launch
