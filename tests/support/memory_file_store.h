// SPDX-License-Identifier: Apache-2.0
// A disk in memory whose n-th change can fail, alone (a full disk) or with all after it (a kill).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "supervisor/host/file_store.h"

namespace support {

class MemoryFileStore : public host::FileStore {
 public:
  struct Entry {
    std::string bytes;
    host::FileStatus status;
  };

  std::map<std::string, Entry> entries;  // by absolute path; folders too
  std::set<std::string> forbidden;       // may be seen, not read
  bool read_only = false;                // every change is for root alone
  int changes = 0;                       // asked for so far
  std::optional<int> fail_from;          // the number of the first change that fails
  bool dead = false;                     // all after it fail too, as after a kill: no undo either

  void put(const std::string& path, std::string_view bytes, mode_t mode = 0644) {
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      entries.try_emplace(path.substr(0, slash), Entry{{}, {true, 0755, 0, 0}});
    }
    entries[path] = {std::string(bytes), {false, mode, 0, 0}};
  }
  std::string text(const std::string& path) const {
    const auto found = entries.find(path);
    return found == entries.end() ? "(absent)" : found->second.bytes;
  }
  mode_t mode(const std::string& path) const {
    const auto found = entries.find(path);
    return found == entries.end() ? 0 : found->second.status.mode;
  }

  base::Result<std::string> read(const std::string& path) override {
    const auto found = entries.find(path);
    if (forbidden.contains(path)) {
      return base::Problem{{}, "cannot read " + path + ": Permission denied", {}};
    }
    if (found != entries.end() && !found->second.status.is_directory) return found->second.bytes;
    return base::Problem{{}, "cannot read " + path + ": No such file or directory", {}};
  }
  std::optional<host::FileStatus> status(const std::string& path) override {
    const auto found = entries.find(path);
    if (found == entries.end()) return std::nullopt;
    return found->second.status;
  }
  std::vector<std::string> list(const std::string& folder) override {
    std::vector<std::string> names;
    for (const auto& [path, entry] : entries) {
      if (!path.starts_with(folder + "/")) continue;
      const std::string name = path.substr(folder.size() + 1);
      if (name.find('/') == std::string::npos) names.push_back(name);
    }
    return names;
  }
  std::string write(const std::string& path, std::string_view bytes, mode_t mode) override {
    if (std::string failure = change("write " + path); !failure.empty()) return failure;
    const auto slash = path.rfind('/');
    if (slash > 0 && !entries.contains(path.substr(0, slash))) {
      return "cannot create " + path + ": No such file or directory";
    }
    entries[path] = {std::string(bytes), {false, mode, 0, 0}};
    return {};
  }
  std::string make_folder(const std::string& path, mode_t mode) override {
    if (std::string failure = change("make folder " + path); !failure.empty()) return failure;
    for (auto slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      entries.try_emplace(path.substr(0, slash), Entry{{}, {true, 0755, 0, 0}});
    }
    entries.try_emplace(path, Entry{{}, {true, mode, 0, 0}});
    return {};
  }
  std::string set_owner(const std::string& path, uid_t owner, gid_t group) override {
    if (std::string failure = change("change " + path); !failure.empty()) return failure;
    entries[path].status.owner = owner;
    entries[path].status.group = group;
    return {};
  }
  std::string remove(const std::string& path) override {
    if (std::string failure = change("remove " + path); !failure.empty()) return failure;
    if (!list(path).empty()) return "cannot remove " + path + ": Directory not empty";
    entries.erase(path);
    return {};
  }
  bool writable(const std::string& folder) override { return entries.contains(folder); }

 private:
  std::string change(const std::string& what) {
    const int number = changes++;
    if (read_only) return "cannot " + what + ": Permission denied";
    if (!fail_from || number < *fail_from) return {};
    if (!dead && number > *fail_from) return {};  // one failure; the undo goes through
    return "cannot " + what + ": No space left on device";
  }
};

}  // namespace support
