// SPDX-License-Identifier: Apache-2.0
// Counts operator new in the program that links allocation_count.cc.
#pragma once

#include <cstddef>

namespace support {

std::size_t allocations();  // since the program began, all threads

}  // namespace support
