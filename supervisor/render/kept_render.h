// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "supervisor/render/render.h"

namespace render {

// The near end of a site of the first form: its config byte for byte, but for the lines that must
// read differently where it will lie (RenderInput::folder, for_unit, inline_key, version).
base::Result<Rendered, base::Problems> render_kept(const RenderInput& input);

}  // namespace render
