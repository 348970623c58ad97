// SPDX-License-Identifier: Apache-2.0
// OpenVPN protocol: PUSH_UPDATE.
#include <algorithm>
#include <set>

#include "base/text.h"
#include "fastpath/config/push.h"
#include "fastpath/config/push_rows.h"
#include "ovpn/line_words.h"

namespace config {
namespace {

struct Change {
  bool remove = false;
  bool optional = false;
  std::string option;  // without prefixes
  std::string name;
};

Change change_of(std::string_view text) {
  Change change;
  text = base::trim(text);
  if (text.starts_with('-')) {
    change.remove = true;
    text.remove_prefix(1);
  }
  if (text.starts_with('?')) {
    change.optional = true;
    text.remove_prefix(1);
  }
  change.option = text;
  const auto words = base::split_words(text);
  if (!words.empty()) change.name = words[0];
  return change;
}

bool is_named(const std::string& option, std::string_view name) {
  const auto words = base::split_words(option);
  return !words.empty() && words[0] == name;
}

class Updater {
 public:
  explicit Updater(std::span<const std::string> options)
      : options_(options.begin(), options.end()) {}

  base::Result<std::vector<std::string>> run(std::span<const std::string> update) {
    for (const std::string& text : update) {
      if (!take(change_of(text))) {
        return base::Problem{
            {},
            "the server's PUSH_UPDATE holds '" + text.substr(0, 60) + "', which cannot change",
            {}};
      }
    }
    return std::move(options_);
  }

 private:
  bool take(const Change& change);
  bool take_keepalive(const Change& change);
  void clear(std::string_view name) {
    std::erase_if(options_, [&](const std::string& option) { return is_named(option, name); });
  }

  std::vector<std::string> options_;
  std::set<std::string> cleared_;
};

bool Updater::take(const Change& change) {
  if (change.name.empty()) return change.option.empty() && !change.remove;
  if (change.name.starts_with('-') || change.name.starts_with('?')) return false;  // "?-x"
  if (change.option.size() > kPushOptionBytesMax) return change.optional;
  if (change.remove && change.option != change.name) return change.optional;
  if (change.name == "keepalive") return take_keepalive(change) || change.optional;
  const PushRow* row = find_push_row(change.name);
  if (row == nullptr || !row->updatable) return change.optional;
  if (change.remove || cleared_.insert(change.name).second) clear(change.name);
  if (!change.remove) options_.push_back(change.option);
  return options_.size() <= kPushOptionsMax;
}

// Two timers under one name, which no PUSH_REPLY knows.
bool Updater::take_keepalive(const Change& change) {
  const auto words = base::split_words(change.option);
  if (!change.remove && words.size() != 3) return false;
  for (const char* name : {"ping", "ping-restart", "ping-exit"}) clear(name);
  if (change.remove) return true;
  options_.push_back("ping " + std::string(words[1]));
  options_.push_back("ping-restart " + std::string(words[2]));
  return true;
}

}  // namespace

base::Result<std::vector<std::string>> apply_push_update(std::span<const std::string> options,
                                                         std::span<const std::string> update) {
  return Updater(options).run(update);
}

}  // namespace config
