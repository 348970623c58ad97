// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/state_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace engine {
namespace {

// FNV-1a: names files apart, keeps no secret.
std::string short_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3u;
  }
  std::array<std::uint8_t, 8> bytes{};
  base::store_be64(bytes.data(), hash);
  return base::to_hex(bytes);
}

bool make_folder(const std::string& path) {
  ::mkdir(path.c_str(), 0700);
  return ::access(path.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

std::string state_file(const std::string& state_dir, const std::string& identity,
                       const std::string& name) {
  if (!state_dir.empty()) return state_dir + "/" + name;
  const std::string own = short_hash(identity);
  ::mkdir("/var/lib/tunctl", 0755);
  for (const std::string folder : {"/var/lib/tunctl/.fastpath", "/run/tunctl-fastpath"}) {
    if (make_folder(folder)) return folder + "/" + name + "-" + own;
  }
  return {};
}

}  // namespace engine
