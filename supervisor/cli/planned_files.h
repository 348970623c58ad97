// SPDX-License-Identifier: Apache-2.0
// The disk as it will be once a plan's files are written: what checks a site that is not there yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "supervisor/host/file_store.h"
#include "supervisor/render/artifact.h"

namespace cli {

// Reads only. `below` and `planned` must outlive it.
class PlannedFiles : public host::FileStore {
 public:
  PlannedFiles(host::FileStore& below, const std::vector<render::Artifact>& planned)
      : below_(below), planned_(planned) {}

  base::Result<std::string> read(const std::string& path) override;
  std::optional<host::FileStatus> status(const std::string& path) override;
  std::vector<std::string> list(const std::string& folder) override { return below_.list(folder); }
  std::string write(const std::string&, std::string_view, mode_t) override { return kRefused; }
  std::string make_folder(const std::string&, mode_t) override { return kRefused; }
  std::string set_owner(const std::string&, uid_t, gid_t) override { return kRefused; }
  std::string remove(const std::string&) override { return kRefused; }
  bool writable(const std::string&) override { return false; }

 private:
  static constexpr const char* kRefused = "this is only planned";
  const render::Artifact* find(const std::string& path) const;

  host::FileStore& below_;
  const std::vector<render::Artifact>& planned_;
};

}  // namespace cli
