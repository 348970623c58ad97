// SPDX-License-Identifier: Apache-2.0
#include "ovpn/profile_file.h"

#include <set>
#include <utility>

#include "base/wipe.h"
#include "ovpn/directive_table.h"
#include "ovpn/wipe_blocks.h"

namespace ovpn {
namespace {

// `folder` empty: where the program was started.
std::string inside(const std::string& folder, const std::string& path) {
  if (folder.empty() || path.starts_with('/')) return path;
  return folder + (folder.ends_with('/') ? "" : "/") + path;
}

bool is_cd(const Directive& directive) {
  return directive.name == "cd" && directive.args.size() == 1;
}

class Includer {
 public:
  explicit Includer(const FileReader& reader) : reader_(reader) {}

  LexResult finish() { return std::move(result_); }
  void take(const Profile& profile, std::size_t depth);
  void include(const std::string& path, const base::Place& asked_by, std::size_t depth);

 private:
  void complain(const base::Place& place, std::string message, std::string remedy) {
    result_.problems.push_back({place, std::move(message), std::move(remedy)});
  }
  std::string from_working_directory(const std::string& path) const {
    return path == "stdin" ? path : inside(directory_, path);
  }

  const FileReader& reader_;
  std::string directory_;  // of the last `cd`; empty: where the program was started
  std::size_t files_ = 0;
  LexResult result_;
};

void Includer::take(const Profile& profile, std::size_t depth) {
  for (const Directive& directive : profile.directives) {
    if (directive.name == "config" && directive.args.size() == 1) {
      include(from_working_directory(directive.args[0]), directive.place, depth + 1);
      continue;
    }
    if (is_cd(directive)) directory_ = inside(directory_, directive.args[0]);
    result_.profile.directives.push_back(directive);
  }
}

void Includer::include(const std::string& path, const base::Place& asked_by, std::size_t depth) {
  if (depth > kIncludeDepthMax) {
    complain(asked_by,
             "configs include each other more than " + std::to_string(kIncludeDepthMax) + " deep",
             "look for a file that includes itself");
    return;
  }
  if (++files_ > kIncludedFilesMax) {
    // Said once: each further include would only repeat it.
    if (files_ == kIncludedFilesMax + 1) {
      complain(asked_by, "more than " + std::to_string(kIncludedFilesMax) + " included files",
               "look for a file that includes itself");
    }
    return;
  }
  auto bytes = reader_(path);
  if (!bytes) {
    complain(asked_by, bytes.error().message, bytes.error().remedy);
    return;
  }
  LexResult lexed = lex_config(path, bytes.value());
  base::wipe(bytes.value());
  result_.problems.insert(result_.problems.end(), lexed.problems.begin(), lexed.problems.end());
  take(lexed.profile, depth);
  wipe_blocks(lexed.profile);
}

bool stock_takes_line(const Directive& directive) {
  const DirectiveRow* row = find_row(directive.name);
  if (row == nullptr || row->native == NativeUse::kRemoved || row->stock_until < 6) return false;
  if (directive.body) return true;
  const int count = static_cast<int>(directive.args.size());
  return row->args_min <= count && count <= row->args_max;
}

}  // namespace

LexResult read_profile(const std::string& path, const FileReader& reader) {
  Includer includer(reader);
  includer.include(path, {}, 1);
  return includer.finish();
}

LexResult expand_includes(const Profile& profile, const FileReader& reader) {
  Includer includer(reader);
  includer.take(profile, 0);
  return includer.finish();
}

std::string folder_after_cd(const Profile& profile, const std::string& start) {
  std::string folder = start;
  for (const Directive& directive : profile.directives) {
    if (is_cd(directive)) folder = inside(folder, directive.args[0]);
  }
  return folder;
}

Profile effective_profile(const Profile& profile) {
  Profile effective;
  std::set<std::string, std::less<>> ignored;
  bool forward_compatible = false;
  for (const Directive& written : profile.directives) {
    Directive directive = unwrap_setenv_opt(written);
    const bool lenient =
        forward_compatible || directive.name != written.name || ignored.contains(directive.name);
    if (lenient && !stock_takes_line(directive)) continue;
    if (directive.name == "setenv" && directive.args.size() == 2 &&
        directive.args[0] == "FORWARD_COMPATIBLE" && directive.args[1] == "1") {
      forward_compatible = true;
    }
    if (directive.name == "ignore-unknown-option") {
      for (const std::string& name : directive.args) {
        ignored.insert(name.starts_with("--") ? name.substr(2) : name);
      }
    }
    effective.directives.push_back(std::move(directive));
  }
  return effective;
}

}  // namespace ovpn
