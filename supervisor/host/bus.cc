// SPDX-License-Identifier: Apache-2.0
#include "supervisor/host/bus.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace host {
namespace {

// sd_booted(3) asks for the same folder.
bool systemd_runs_here() {
  struct stat status {};
  return ::lstat("/run/systemd/system", &status) == 0 && S_ISDIR(status.st_mode);
}

base::Result<UniqueBus> open_private_socket() {
  sd_bus* raw = nullptr;
  int result = sd_bus_new(&raw);
  UniqueBus bus(raw);
  if (result >= 0) result = sd_bus_set_address(raw, "unix:path=/run/systemd/private");
  if (result >= 0) result = sd_bus_start(raw);
  if (result >= 0) return bus;
  return base::Problem{{}, base::errno_text("cannot reach systemd", -result), {}};
}

bool ends_with_one_of(std::string_view name, std::initializer_list<std::string_view> ends) {
  for (const auto end : ends) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

// What a variant of the types we read holds; nothing else is asked for.
void read_string(sd_bus_message* message, std::string& to) {
  const char* text = nullptr;
  if (sd_bus_message_read(message, "v", "s", &text) >= 0 && text != nullptr) to = text;
}

template <typename Wire, typename Field>
void read_value(sd_bus_message* message, const char* type, Field& to) {
  Wire value{};
  if (sd_bus_message_read(message, "v", type, &value) >= 0) to = static_cast<Field>(value);
}

void read_mask(sd_bus_message* message, std::vector<int>& to) {
  const void* bytes = nullptr;
  std::size_t size = 0;
  if (sd_bus_message_enter_container(message, 'v', "ay") < 0) return;
  if (sd_bus_message_read_array(message, 'y', &bytes, &size) >= 0) {
    to = cpus_of_mask(static_cast<const unsigned char*>(bytes), size);
  }
  sd_bus_message_exit_container(message);
}

// The first of ExecStart='s commands: a path and its words, and what became of it.
void read_command(sd_bus_message* message, std::vector<std::string>& to) {
  constexpr const char* kFields = "sasbttttuii";
  if (sd_bus_message_enter_container(message, 'v', "a(sasbttttuii)") < 0) return;
  if (sd_bus_message_enter_container(message, 'a', "(sasbttttuii)") >= 0) {
    while (sd_bus_message_enter_container(message, 'r', kFields) > 0) {
      const char* path = nullptr;
      char** words = nullptr;
      if (sd_bus_message_read(message, "s", &path) < 0 ||
          sd_bus_message_read_strv(message, &words) < 0) {
        break;
      }
      const bool first = to.empty();
      for (char** word = words; word != nullptr && *word != nullptr; ++word) {
        if (first) to.emplace_back(*word);
        ::free(*word);
      }
      ::free(words);
      // argv[0] may be a name of the unit's own.
      if (first && !to.empty() && path != nullptr) to[0] = path;
      if (sd_bus_message_skip(message, "bttttuii") < 0) break;
      if (sd_bus_message_exit_container(message) < 0) break;
    }
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
}

using Reader = void (*)(sd_bus_message*, UnitStatus&);
struct PropertyRow {
  std::string_view name;
  Reader read;
};

constexpr PropertyRow kProperties[] = {
    {"LoadState",
     [](sd_bus_message* m, UnitStatus& s) {
       std::string state;
       read_string(m, state);
       s.loaded = state == "loaded";
     }},
    {"ActiveState", [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.active_state); }},
    {"SubState", [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.sub_state); }},
    {"Result", [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.result); }},
    {"UnitFileState", [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.unit_file_state); }},
    {"StatusText", [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.status_text); }},
    {"MainPID",
     [](sd_bus_message* m, UnitStatus& s) { read_value<std::uint32_t>(m, "u", s.main_pid); }},
    {"ExecMainCode",
     [](sd_bus_message* m, UnitStatus& s) { read_value<std::int32_t>(m, "i", s.exit_code); }},
    {"ExecMainStatus",
     [](sd_bus_message* m, UnitStatus& s) { read_value<std::int32_t>(m, "i", s.exit_status); }},
    {"NRestarts",
     [](sd_bus_message* m, UnitStatus& s) { read_value<std::uint32_t>(m, "u", s.restarts); }},
    {"CPUAffinity", [](sd_bus_message* m, UnitStatus& s) { read_mask(m, s.cpu_affinity); }},
    {"ActiveEnterTimestamp",
     [](sd_bus_message* m, UnitStatus& s) {
       std::uint64_t microseconds = 0;
       read_value<std::uint64_t>(m, "t", microseconds);
       s.active_since = static_cast<base::UnixSeconds>(microseconds / 1'000'000);
     }},
    {"WatchdogUSec",
     [](sd_bus_message* m, UnitStatus& s) { read_value<std::uint64_t>(m, "t", s.watchdog_usec); }},
    {"ExecStart", [](sd_bus_message* m, UnitStatus& s) { read_command(m, s.command); }},
    {"WorkingDirectory",
     [](sd_bus_message* m, UnitStatus& s) { read_string(m, s.working_folder); }},
    {"NeedDaemonReload",
     [](sd_bus_message* m, UnitStatus& s) { read_value<int>(m, "b", s.needs_reload); }},
};

void read_property(std::string_view name, sd_bus_message* message, UnitStatus& status) {
  for (const auto& row : kProperties) {
    if (row.name == name) return row.read(message, status);
  }
  sd_bus_message_skip(message, "v");
}

}  // namespace

base::Result<UniqueBus> open_bus(bool root) {
  if (!systemd_runs_here()) {
    return base::Problem{{}, std::string(kNoSystemd), "use `tunctl run NAME` in the foreground"};
  }
  sd_bus* raw = nullptr;
  const int result = sd_bus_open_system(&raw);
  UniqueBus bus(raw);
  if (result >= 0) return bus;
  if (root) return open_private_socket();
  return base::Problem{{},
                       base::errno_text("cannot reach the system bus", -result),
                       "run as root: that way works without the bus"};
}

base::Problem bus_problem(const std::string& what, const char* error_name, const char* message) {
  const std::string_view name = error_name == nullptr ? "" : error_name;
  const std::string said = message == nullptr ? "no reason given" : message;
  if (ends_with_one_of(name, {".AccessDenied", ".InteractiveAuthorizationRequired", ".AuthFailed",
                              ".PermissionDenied"})) {
    return {{}, std::string(kNotPermitted) + " to " + what, "run it as root"};
  }
  if (ends_with_one_of(name, {".NoSuchUnit", ".LoadFailed", ".UnitNotFound"}) ||
      said.find("does not exist") != std::string::npos) {
    return {{}, "cannot " + what + ": " + said, "is tunctl installed? (`bootstrap install`)"};
  }
  return {{}, "cannot " + what + ": " + said, {}};
}

bool read_unit_properties(sd_bus_message* message, UnitStatus& status) {
  if (sd_bus_message_enter_container(message, 'a', "{sv}") < 0) return false;
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* name = nullptr;
    if (sd_bus_message_read(message, "s", &name) < 0) return false;
    read_property(name, message, status);
    if (sd_bus_message_exit_container(message) < 0) return false;
  }
  if (status.active_state != "active") status.active_since = 0;
  return sd_bus_message_exit_container(message) >= 0;
}

int append_later(sd_bus_message* call, const std::string& name, std::uint64_t delay_usec,
                 const std::vector<std::string>& command) {
  constexpr std::uint64_t kAccuracyUsec = 100'000, kRetryUsec = 5'000'000;
  const std::string timer = name + ".timer", service = name + ".service";
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int result = 0;
  const auto step = [&result](int done) {
    if (result >= 0) result = done;
  };
  // "replace": the job's mode. Then the timer's properties, and beside it the service.
  step(sd_bus_message_append(call, "ss", timer.c_str(), "replace"));
  step(sd_bus_message_open_container(call, 'a', "(sv)"));
  step(sd_bus_message_append(call, "(sv)", "TimersMonotonic", "a(st)", 1, "OnActiveSec",
                             delay_usec));
  step(sd_bus_message_append(call, "(sv)", "AccuracyUSec", "t", kAccuracyUsec));
  step(sd_bus_message_append(call, "(sv)", "RemainAfterElapse", "b", 0));
  step(sd_bus_message_close_container(call));
  step(sd_bus_message_open_container(call, 'a', "(sa(sv))"));
  step(sd_bus_message_open_container(call, 'r', "sa(sv)"));
  step(sd_bus_message_append(call, "s", service.c_str()));
  step(sd_bus_message_open_container(call, 'a', "(sv)"));
  step(sd_bus_message_append(call, "(sv)", "Type", "s", "oneshot"));
  step(sd_bus_message_append(call, "(sv)", "Restart", "s", "on-failure"));
  step(sd_bus_message_append(call, "(sv)", "RestartUSec", "t", kRetryUsec));
  step(sd_bus_message_append(call, "(sv)", "CollectMode", "s", "inactive-or-failed"));
  step(sd_bus_message_open_container(call, 'r', "sv"));
  step(sd_bus_message_append(call, "s", "ExecStart"));
  step(sd_bus_message_open_container(call, 'v', "a(sasb)"));
  step(sd_bus_message_open_container(call, 'a', "(sasb)"));
  step(sd_bus_message_open_container(call, 'r', "sasb"));
  step(sd_bus_message_append(call, "s", words[0]));
  step(sd_bus_message_append_strv(call, words.data()));
  step(sd_bus_message_append(call, "b", 0));
  for (int open = 0; open < 7; ++open) step(sd_bus_message_close_container(call));
  return result;
}

std::vector<int> cpus_of_mask(const unsigned char* bytes, std::size_t size) {
  std::vector<int> cpus;
  for (std::size_t bit = 0; bit < size * 8; ++bit) {
    if ((bytes[bit / 8] >> (bit % 8) & 1) != 0) cpus.push_back(static_cast<int>(bit));
  }
  return cpus;
}

}  // namespace host
