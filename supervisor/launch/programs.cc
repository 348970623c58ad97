// SPDX-License-Identifier: Apache-2.0
#include "supervisor/launch/programs.h"

#include <filesystem>
#include <initializer_list>

namespace launch {
namespace {

std::string first_there(host::FileStore& files, std::initializer_list<std::string> candidates) {
  for (const std::string& path : candidates) {
    const auto status = files.status(path);
    if (status && !status->is_directory && (status->mode & 0111) != 0) return path;
  }
  return {};
}

}  // namespace

Programs find_programs(host::FileStore& files, const std::string& own) {
  const auto folder = std::filesystem::path(own).parent_path();
  const auto beside = [&folder](const char* relative) {
    return (folder / relative).lexically_normal().string();
  };
  return {
      first_there(files, {beside("../sbin/tunctl-fastpath"), beside("../fastpath/tunctl-fastpath"),
                          beside("../../fastpath/tunctl-fastpath")}),
      first_there(files, {"/usr/sbin/openvpn", "/usr/local/sbin/openvpn", "/sbin/openvpn",
                          "/usr/bin/openvpn"})};
}

std::optional<base::Problem> missing_program(const Programs& programs,
                                             const render::EngineDecision& engine) {
  const std::string& program = engine.fastpath ? programs.fastpath : programs.openvpn;
  if (!program.empty()) return std::nullopt;
  if (engine.fastpath) {
    return base::Problem{{}, "tunctl-fastpath is not installed beside tunctl", "install it anew"};
  }
  return base::Problem{
      {},
      "this site needs stock OpenVPN, which is not installed (" + engine.reason + ")",
      "apt-get install openvpn"};
}

}  // namespace launch
