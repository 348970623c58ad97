// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "supervisor/site/checker.h"

namespace site {

// Of a client: that there is all that a server has to be called with, and nothing that the server
// says itself. Of any other type: that no key of a client is there. False: its mode is one that no
// client has, and what hangs on a mode need not be looked at.
bool check_type(Checker& out, const Site& site, const Described& tunnel);

}  // namespace site
