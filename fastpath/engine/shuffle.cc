// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/shuffle.h"

#include <array>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"

namespace engine {

config::LinkConfig in_order_to_try(config::LinkConfig link) {
  if (!link.remote_random) return link;
  // Fisher and Yates; a 64-bit draw makes the modulo's bias too small to matter for 64 remotes.
  for (std::size_t left = link.remotes.size(); left > 1; --left) {
    std::array<std::uint8_t, 8> draw{};
    base::random_bytes(draw);
    std::swap(link.remotes[left - 1], link.remotes[base::load_be64(draw.data()) % left]);
  }
  return link;
}

}  // namespace engine
