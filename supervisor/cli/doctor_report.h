// SPDX-License-Identifier: Apache-2.0
// What `tunctl doctor` found, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/doctor/doctor.h"

namespace cli {

// A block for the machine, then one a site, each finding with what was seen and what to do; last, a
// count of faults and notes.
std::string doctor_text(Context& context, const std::vector<doctor::Finding>& findings);
// {"schema": "tunctl.doctor/1", "findings": [{"check", "site", "verdict", "evidence", "remedy"}]};
// an empty field is left out.
std::string doctor_json(const std::vector<doctor::Finding>& findings);

}  // namespace cli
