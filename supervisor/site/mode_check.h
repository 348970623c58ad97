// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "supervisor/site/checker.h"

namespace site {

// What protects the packets of a described site: the keys of its mode, and none of another one's.
void check_mode(Checker& out, const Site& site, const Described& tunnel);

}  // namespace site
