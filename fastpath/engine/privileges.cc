// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.h"
#include "fastpath/engine/exit_status.h"

namespace engine {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw base::FatalError(base::errno_text(what, errno), kExitLasting);
}

}  // namespace

Privileges::Privileges(const config::ProcessConfig& process, const base::Log& log)
    : log_(log), chroot_(process.chroot) {
  if (!process.user.empty()) {
    const passwd* found = ::getpwnam(process.user.c_str());
    if (found == nullptr) throw base::FatalError("user: no user " + process.user, kExitLasting);
    user_ = found->pw_uid;
  }
  if (!process.group.empty()) {
    const group* found = ::getgrnam(process.group.c_str());
    if (found == nullptr) throw base::FatalError("group: no group " + process.group, kExitLasting);
    group_ = found->gr_gid;
  }
}

void Privileges::drop() {
  if (dropped_) return;
  dropped_ = true;
  if (!chroot_.empty()) enter_chroot();
  if (user_ || group_) change_ids();
}

void Privileges::enter_chroot() {
  if (::chroot(chroot_.c_str()) != 0) fail("chroot " + chroot_);
  if (::chdir("/") != 0) fail("chroot " + chroot_);
}

void Privileges::change_ids() {
  const bool root = ::geteuid() == 0;
  const bool keep = root && user_ && *user_ != 0;
  if (keep && ::prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) fail("prctl");
  const gid_t group = group_.value_or(::getegid());
  if (root && ::setgroups(1, &group) != 0) fail("setgroups");
  if (group_ && ::setresgid(*group_, *group_, *group_) != 0) fail("group");
  if (user_ && ::setresuid(*user_, *user_, *user_) != 0) fail("user");
  if (keep) keep_net_admin();
}

void Privileges::keep_net_admin() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  data[0].effective = data[0].permitted = 1u << CAP_NET_ADMIN;
  if (::syscall(SYS_capset, &header, data.data()) == 0) return;
  log_.warning(base::errno_text("cannot keep CAP_NET_ADMIN; restarts may fail", errno));
}

}  // namespace engine
