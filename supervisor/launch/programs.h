// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "supervisor/host/file_store.h"
#include "supervisor/render/render.h"

namespace launch {

// The engines' programs, absolute; empty where there is none.
struct Programs {
  std::string fastpath, openvpn;
};

// `own` is tunctl's own path: the fast path lies beside it as installed (../sbin) or as built.
// Stock OpenVPN is looked for where distributions and `make install` put it.
Programs find_programs(host::FileStore& files, const std::string& own);

// The engine that was chosen is not installed; with the remedy.
std::optional<base::Problem> missing_program(const Programs& programs,
                                             const render::EngineDecision& engine);

}  // namespace launch
