// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/log.h"
#include "fastpath/config/tunnel_config.h"

namespace engine {

// `user`, `group` and `chroot`: names are looked up at once, the step itself comes when device and
// socket are open. CAP_NET_ADMIN is kept, so that restarts and the way down still work.
class Privileges {
 public:
  // Throws base::FatalError (78) for a name this machine does not know.
  Privileges(const config::ProcessConfig& process, const base::Log& log);

  // Once; later calls do nothing. No other thread may run. Throws base::FatalError if refused.
  void drop();

 private:
  void enter_chroot();
  void change_ids();
  void keep_net_admin();

  const base::Log& log_;
  std::string chroot_;
  std::optional<uid_t> user_;
  std::optional<gid_t> group_;
  bool dropped_ = false;
};

}  // namespace engine
