// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "supervisor/render/artifact.h"

namespace render {

// The folder a config is rendered for, with the files that go into it.
class OutputFolder {
 public:
  // `folder` empty: paths in the config are relative. The config is the first artifact.
  OutputFolder(std::string folder, std::string config_name);

  // Puts a file in and returns the path a config has to name it by. The same `written` twice is one
  // file; two files of one name in different folders get two names.
  std::string add(const std::string& written, const std::string& bytes, bool secret);
  Artifact& config() { return artifacts_.front(); }
  std::vector<Artifact> take() { return std::move(artifacts_); }

 private:
  std::string folder_;
  std::set<std::string> names_;
  std::map<std::string, std::string> placed_;
  std::vector<Artifact> artifacts_;
};

}  // namespace render
