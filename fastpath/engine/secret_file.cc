// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/secret_file.h"

#include <sys/stat.h>

namespace engine {

void warn_if_readable_by_all(const std::string& file, base::Problems& warnings) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if ((status.st_mode & S_IRWXO) == 0) return;
  warnings.push_back(
      {{}, "key file " + file + " can be read by everybody", "`chmod 600 " + file + "`"});
}

}  // namespace engine
