// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/let_go.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "ovpn/take_over.h"
#include "supervisor/host/child_process.h"
#include "supervisor/host/disk_file_store.h"
#include "supervisor/host/notify.h"
#include "supervisor/launch/programs.h"

namespace launch {
namespace {

constexpr int kFirstGiven = 3;  // SD_LISTEN_FDS_START
constexpr int kGivenMax = 64;
constexpr base::Duration kManagerPatience = std::chrono::seconds(2);
constexpr int kUndoLimitMs = 15000;
constexpr base::UnixSeconds kWaitMax = 10;  // TimeoutStartSec has to do for the rest as well

void close_given(const std::string& count) {
  const int given = base::parse_number<int>(count).value_or(0);
  for (int i = 0; i < given && i < kGivenMax; ++i) ::close(kFirstGiven + i);
}

}  // namespace

void let_go_of_kept(const LaunchPlan& plan, const std::string& program,
                    std::map<std::string, std::string>& environment) {
  if (const auto given = environment.find("LISTEN_FDS"); given != environment.end()) {
    close_given(given->second);
    for (const char* const name : ovpn::kKeptNames) {
      host::notify_manager(std::string("FDSTOREREMOVE=1\nFDNAME=") + name);
    }
    host::wait_for_manager(kManagerPatience);
  }
  for (const char* const name : {"LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID"}) {
    environment.erase(name);
  }
  const std::string mark = plan.state_folder + "/" + ovpn::kComesBack;
  if (::access(mark.c_str(), F_OK) != 0) return;
  host::DiskFileStore files;
  host::ChildOptions undo;
  undo.program = find_programs(files, program).fastpath;
  undo.arguments = {"--undo", plan.state_folder};
  undo.environment = environment;
  if (!undo.program.empty()) static_cast<void>(host::run_to_end(undo, kUndoLimitMs));
}

base::UnixSeconds seconds_to_wait(std::string_view packet_time_file, base::UnixSeconds now) {
  const auto last = base::parse_number<base::UnixSeconds>(base::trim(packet_time_file));
  return last && *last >= now ? *last - now + 1 : 0;
}

void wait_for_packet_time(const LaunchPlan& plan, const base::Log& log) {
  const auto kept = base::read_file(plan.state_folder + "/" + ovpn::kPacketTime);
  if (!kept) return;
  const base::UnixSeconds wait = seconds_to_wait(*kept, base::unix_now());
  if (wait > kWaitMax) {
    return log.warning(fmt::format(
        "this machine's clock is {} s behind what the far end has seen of this tunnel, which drops "
        "the packets of stock OpenVPN until then; is it right?",
        wait));
  }
  if (wait > 0)
    log.notice(fmt::format("waiting {} s, for later packet times than were used", wait));
  ::sleep(static_cast<unsigned>(wait));
}

}  // namespace launch
