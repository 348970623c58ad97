// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "base/bytes.h"
#include "fastpath/packet/segment_merge.h"

// Joins as many of `pieces` as fit, from the first on: the joined packet's bytes, as the kernel
// gets them, and how many went into it.
inline base::Bytes joined(std::vector<base::Bytes>& pieces, std::size_t& count) {
  packet::SegmentMerger merger(true);
  count = 0;
  if (!merger.begin(pieces[0])) return {};
  for (std::size_t i = 1; i < pieces.size() && merger.join(pieces[i]); ++i) {
  }
  count = merger.count();
  merger.finish();
  base::Bytes whole = pieces[0];
  for (std::size_t i = 1; i < count; ++i) {
    const auto payload = merger.payload(pieces[i]);
    whole.insert(whole.end(), payload.begin(), payload.end());
  }
  return whole;
}
