// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/journal.h"

#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "supervisor/host/folder_handle.h"

namespace host {
namespace {

struct JournalCloser {
  void operator()(sd_journal* journal) const { sd_journal_close(journal); }
};

constexpr std::string_view kField = "MESSAGE=";
constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;

bool add_match(sd_journal* journal, const std::string& match) {
  return sd_journal_add_match(journal, match.data(), match.size()) >= 0;
}

std::string this_boot() {
  sd_id128_t id{};
  char text[SD_ID128_STRING_MAX];
  if (sd_id128_get_boot(&id) < 0) return {};
  return sd_id128_to_string(id, text);
}

// Before the entries that come after the second `until`.
bool seek(sd_journal* journal, base::UnixSeconds until) {
  if (until <= 0) return sd_journal_seek_tail(journal) >= 0;
  const auto end = (static_cast<std::uint64_t>(until) + 1) * kMicrosecondsPerSecond;
  return sd_journal_seek_realtime_usec(journal, end) >= 0;
}

bool is_before(sd_journal* journal, base::UnixSeconds from) {
  std::uint64_t time = 0;
  if (from <= 0 || sd_journal_get_realtime_usec(journal, &time) < 0) return false;
  return time < static_cast<std::uint64_t>(from) * kMicrosecondsPerSecond;
}

// One machine's. A folder that may not even be looked into is not ours either.
enum class Journal { kNone, kOurs, kNotOurs };
Journal journal_below(const std::string& folder) {
  const std::string file = folder + "/system.journal";
  if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0) return Journal::kOurs;
  return errno == EACCES ? Journal::kNotOurs : Journal::kNone;
}

}  // namespace

bool may_read_journal_in(const std::vector<std::string>& folders) {
  bool refused = false;
  for (const std::string& folder : folders) {
    const FolderHandle open(::opendir(folder.c_str()));
    if (!open) {
      refused |= errno == EACCES;
      continue;
    }
    while (const dirent* entry = ::readdir(open.get())) {
      if (entry->d_name[0] == '.') continue;
      const Journal found = journal_below(folder + "/" + entry->d_name);
      if (found == Journal::kOurs) return true;
      refused |= found == Journal::kNotOurs;
    }
  }
  return !refused;
}

bool may_read_journal() { return may_read_journal_in({"/run/log/journal", "/var/log/journal"}); }

std::string last_error_line(const std::string& unit, base::UnixSeconds from,
                            base::UnixSeconds until) {
  sd_journal* raw = nullptr;
  if (sd_journal_open(&raw, SD_JOURNAL_LOCAL_ONLY) < 0) return {};
  const std::unique_ptr<sd_journal, JournalCloser> journal(raw);
  // Matches of one field are alternatives, of different fields they all have to hold.
  for (const char* priority : {"PRIORITY=0", "PRIORITY=1", "PRIORITY=2", "PRIORITY=3"}) {
    if (!add_match(raw, priority)) return {};
  }
  if (!add_match(raw, "_SYSTEMD_UNIT=" + unit) || !add_match(raw, "_BOOT_ID=" + this_boot())) {
    return {};
  }
  const void* bytes = nullptr;
  std::size_t size = 0;
  if (!seek(raw, until) || sd_journal_previous(raw) <= 0 || is_before(raw, from) ||
      sd_journal_get_data(raw, "MESSAGE", &bytes, &size) < 0 || size < kField.size()) {
    return {};
  }
  return std::string(static_cast<const char*>(bytes) + kField.size(), size - kField.size());
}

}  // namespace host
