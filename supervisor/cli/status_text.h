// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "supervisor/cli/site_view.h"

namespace cli {

// The paragraph that `tunctl status` shows of one site.
std::string status_text(Context& context, const SiteView& view);

// The JSON document of `tunctl status --json`: {"schema": "tunctl.status/1", "sites": [...]}. Keys
// never change their meaning; times are ISO 8601 in UTC, sizes bytes; what is not known is left
// out.
std::string status_json(const std::vector<SiteView>& views);

// "native fast path", "stock OpenVPN".
std::string engine_words(const SiteView& view);
// A dot in the colour of its state; hollow if the tunnel is down.
std::string health_dot(Context& context, const watch::SiteStatus& status);

}  // namespace cli
