// SPDX-License-Identifier: Apache-2.0
// Whether one site makes sense by itself: values against each other and against the machine.
#pragma once

#include "base/error.h"
#include "supervisor/site/site.h"

namespace site {

struct CheckResult {
  base::Problems problems;  // the site cannot run
  base::Problems warnings;  // it can, and the admin should know
};

// Pure. `cpu_count`: the machine's, for run.cpus.
CheckResult check_site(const Site& site, int cpu_count);

}  // namespace site
