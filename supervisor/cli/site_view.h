// SPDX-License-Identifier: Apache-2.0
// A site as it is now: what it was asked to be, and how it fares.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/cli/context.h"
#include "supervisor/cli/work.h"
#include "supervisor/watch/site_status.h"

namespace cli {

struct SiteView {
  watch::SiteStatus status;
  std::optional<SiteReport> report;  // nothing: the site file cannot be read, or is wrong
  std::string trouble;               // why not; the first problem
  std::string description;
  int runner = 0;  // the `tunctl run` that holds it; 0: systemd has it, or nobody
};

// A Problem: there is no such site, or the manager cannot be asked (with kNotPermitted).
base::Result<SiteView, ReportFailure> view_site(Context& context, const std::string& name);

// kOk, kNotUp or kDegraded; the last also where what runs could not be started again.
int exit_status_of(const SiteView& view);

// The drop-in that the site asks for, on these CPUs and this systemd.
std::string wanted_drop_in(const SiteReport& report, const std::vector<int>& cpus,
                           int systemd_version);

// True if there is a drop-in and it is another one. False where a word for CPUs merely came to
// others.
bool drop_in_differs(Context& context, const SiteReport& report, int systemd_version);

// "2min 3s", "3d 4h", "17s".
std::string duration_words(base::UnixSeconds seconds);
std::string size_words(std::uint64_t bytes);   // "12.3 MB", powers of 1000
std::string iso_time(base::UnixSeconds time);  // "2026-11-30T21:50:11Z"

}  // namespace cli
