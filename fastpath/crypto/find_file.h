// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace crypto {

// Whether a file is there, as far as can be told: where a folder may not be searched, or is not
// there, nothing is known of what is in it.
enum class FileFound { kThere, kNotThere, kCannotTell };

using FindFile = std::function<FileFound(const std::string& path)>;

}  // namespace crypto
