// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fastpath/config/tunnel_config.h"

namespace engine {

// The link's remotes as they are to be tried: in the order written, or shuffled by remote-random.
config::LinkConfig in_order_to_try(config::LinkConfig link);

}  // namespace engine
