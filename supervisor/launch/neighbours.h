// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "supervisor/host/file_store.h"
#include "supervisor/placement/placement.h"
#include "supervisor/site/paths.h"

namespace launch {

// Where the engines of the other tunnels that run, or are about to, were put: what prepare left for
// them, in the folders of units and of `tunctl run`. What cannot be read is passed over.
std::vector<placement::Neighbour> neighbours_of(std::string_view site, host::FileStore& files,
                                                const site::Paths& paths);

}  // namespace launch
