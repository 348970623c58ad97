// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace host {

// The newest line of priority "err" or worse that `unit` wrote since this boot, not before `from`
// and not after `until` (both in seconds; 0: no such limit). Empty: none, no journal here, or not
// ours to read.
std::string last_error_line(const std::string& unit, base::UnixSeconds from,
                            base::UnixSeconds until);

// False: there is a journal of the system's units in one of these folders, and it is not ours to
// read. A machine without any is for journalctl(1) to tell.
bool may_read_journal_in(const std::vector<std::string>& folders);
bool may_read_journal();  // in /run/log/journal and /var/log/journal

}  // namespace host
