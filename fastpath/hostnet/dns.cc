// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/dns.h"

#include <net/if.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/bytes.h"
#include "base/file.h"
#include "base/interface_name.h"
#include "base/sha256.h"
#include "base/text.h"
#include "fastpath/hostnet/helper_client.h"
#include "fastpath/hostnet/journal.h"
#include "fastpath/hostnet/resolved.h"

namespace hostnet {
namespace {

constexpr std::size_t kNoteBytesMax = 256;
constexpr std::string_view kByResolved = "resolved", kByResolvconf = "resolvconf",
                           kByHelper = "helper";
const std::string kLeftBehind = "left behind by a killed engine, given back: ";
const std::string kGivenBack = "given back: ";
constexpr std::string_view kMark = "# by tunctl for ";
constexpr std::string_view kBackupEnd = ".resolv.conf";
constexpr std::size_t kCheckDigits = 16;

// Of the lines below the first: whoever edits them makes the file his own.
std::string check_of(std::string_view lines) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(lines.data());
  return base::to_hex(base::sha256({bytes, lines.size()})).substr(0, kCheckDigits);
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777u : 0644u;
}

bool is_link(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

// resolvconf's name of a set of lines: INTERFACE.PROGRAM.
std::string record_of(const std::string& device) { return device + ".tunctl"; }

}  // namespace

std::string resolv_conf_text(const DnsPlan& plan) {
  std::string text;
  for (const DnsServerPlan& server : plan.servers) {
    text += "nameserver " + server.address.to_string() + "\n";
  }
  if (!plan.search.empty()) {
    text += "search";
    for (const std::string& domain : plan.search) text += " " + domain;
    text += "\n";
  }
  return text;
}

std::string marked_resolv_conf(const std::string& device, const DnsPlan& plan) {
  const std::string lines = resolv_conf_text(plan);
  return std::string(kMark) + device + " (" + check_of(lines) +
         "); what was here is given back at its end\n" + lines;
}

std::optional<std::string> device_of_resolv_conf(std::string_view text) {
  const auto end = text.find('\n');
  if (!text.starts_with(kMark) || end == std::string_view::npos) return std::nullopt;
  const auto words = base::split_words(text.substr(kMark.size(), end - kMark.size()));
  if (words.size() < 2 || words[1] != "(" + check_of(text.substr(end + 1)) + ");") {
    return std::nullopt;
  }
  return std::string(words[0]);
}

void DnsSetup::set(const std::string& device, const DnsPlan& plan, bool whole_machine) {
  if (way_ != Way::kNone && device == device_ && plan == plan_) return;
  if (plan.empty()) return undo();
  const bool replaces = way_ == Way::kResolved || way_ == Way::kHelper;
  if (!replaces || device != device_) undo();
  device_ = device;
  plan_ = plan;
  const bool helped = !places_.helper.empty();
  std::string reason;
  const ResolvedAnswer answer =
      way_ == Way::kHelper ? ResolvedAnswer::kAbsent : try_resolved(device, plan, reason);
  if (answer == ResolvedAnswer::kDone) return;
  const bool refused = answer == ResolvedAnswer::kRefused;
  const bool resolved_runs =
      refused || (helped && ::access(places_.resolved_socket.c_str(), F_OK) == 0);
  if (!whole_machine && !resolved_runs) {
    undo();
    return log_.notice("name servers for " + device +
                       " are not set: systemd-resolved does not run, and only `--dns pushed` lets "
                       "those of the whole machine be changed");
  }
  if (helped) return ask_helper(device, plan, whole_machine);
  if (refused) {
    return log_.warning("name servers are not set, systemd-resolved refuses: " + reason +
                        "; run as root, or let this user set them by a polkit rule");
  }
  if (!try_resolvconf(device, plan)) replace_file(device, plan);
}

// `reason`: of a refusal.
ResolvedAnswer DnsSetup::try_resolved(const std::string& device, const DnsPlan& plan,
                                      std::string& reason) {
  const auto index = static_cast<int>(::if_nametoindex(device.c_str()));
  note_down(kByResolved);
  const ResolvedAnswer answer = resolved_set_link(places_.bus, index, plan, reason);
  if (answer == ResolvedAnswer::kDone) {
    way_ = Way::kResolved;
    log_.info("name servers of " + device + " told to systemd-resolved");
  } else if (way_ != Way::kResolved) {
    forget_note();
  }
  return answer;
}

// What it was told before it puts away by itself.
void DnsSetup::ask_helper(const std::string& device, const DnsPlan& plan, bool whole_machine) {
  note_down(kByHelper);
  const SetNameServers request{device, plan, whole_machine};
  HelperAnswer answer = call_helper(places_.helper, request, meanwhile_);
  if (answer.kind == HelperAnswer::Kind::kUnclear) {
    answer = call_helper(places_.helper, request, meanwhile_);
  }
  switch (answer.kind) {
    case HelperAnswer::Kind::kDone:
      way_ = Way::kHelper;
      return log_.info("by tunctl-helper: " + answer.text);
    case HelperAnswer::Kind::kUnclear:
      way_ = Way::kHelper;  // it may have been done
      return log_.warning("name servers may not be set: " + answer.text);
    case HelperAnswer::Kind::kNot:
      way_ = Way::kNone;
      log_.warning("by tunctl-helper: " + answer.text);
      return forget_note();
    case HelperAnswer::Kind::kUnreachable:
      if (way_ == Way::kNone) forget_note();
      return log_.warning(
          "name servers are not set: this takes root, and tunctl-helper does not answer (" +
          answer.text + "); `systemctl start tunctl-helper.socket`, or set them by hand");
  }
}

bool DnsSetup::try_resolvconf(const std::string& device, const DnsPlan& plan) {
  if (::access(places_.resolvconf.c_str(), X_OK) != 0) return false;
  note_down(kByResolvconf);
  const ChildEnd end = run_child({places_.resolvconf, "-a", record_of(device)}, {}, meanwhile_,
                                 resolv_conf_text(plan));
  if (!end.good()) {
    const std::string how =
        end.spawn_errno == 0 ? end.text() : base::errno_text("cannot be run", end.spawn_errno);
    log_.warning("name servers are not set, " + places_.resolvconf + " " + how + "; it wants root");
    forget_note();
    return true;
  }
  way_ = Way::kResolvconf;
  log_.info("name servers of " + device + " told to resolvconf");
  return true;
}

void DnsSetup::replace_file(const std::string& device, const DnsPlan& plan) {
  const std::string& file = places_.resolv_conf;
  const std::string failed = "name servers are not set: ";
  if (is_link(file)) {
    return log_.warning(failed + file + " is a link that something else looks after");
  }
  if (places_.backup.empty()) return log_.warning(failed + "no --state-dir to keep a copy in");
  const auto old = base::read_file(file);
  const mode_t mode = mode_of(file);  // the copy keeps it as well
  std::string problem =
      base::write_file_atomically(places_.backup, old ? *old : std::string(), mode);
  if (problem.empty()) {
    problem = base::write_file_atomically(file, marked_resolv_conf(device, plan), mode);
  }
  if (!problem.empty()) {
    ::unlink(places_.backup.c_str());
    return log_.warning(failed + problem + "; run as root, or set them by hand");
  }
  way_ = Way::kFile;
  log_.info("name servers of " + device + " written to " + file);
}

void DnsSetup::undo() {
  std::string reason;
  switch (std::exchange(way_, Way::kNone)) {
    case Way::kNone:
      return;
    case Way::kResolved: {
      // With the link its settings go too, so only one that stays has to be told.
      const auto index = static_cast<int>(::if_nametoindex(device_.c_str()));
      if (index != 0) static_cast<void>(resolved_revert_link(places_.bus, index, reason));
      return forget_note();
    }
    case Way::kResolvconf:
      static_cast<void>(
          run_child({places_.resolvconf, "-d", record_of(device_)}, {}, meanwhile_, std::string()));
      return forget_note();
    case Way::kFile:
      return restore_file();
    case Way::kHelper:
      if (undo_by_helper()) forget_note();
      return;
  }
}

// False: it stays noted, for the next start to try again.
bool DnsSetup::undo_by_helper() {
  const UndoNameServers request{device_};
  HelperAnswer answer = call_helper(places_.helper, request, meanwhile_);
  if (answer.kind == HelperAnswer::Kind::kUnclear) {
    answer = call_helper(places_.helper, request, meanwhile_);
  }
  if (answer.kind == HelperAnswer::Kind::kDone) return true;
  log_.warning("name servers are not given back: " + answer.text);
  return false;
}

void DnsSetup::restore_file() {
  const auto now = base::read_file(places_.resolv_conf);
  const auto old = base::read_file(places_.backup);
  const auto holder = now ? device_of_resolv_conf(*now) : std::nullopt;
  if (old && holder && (device_.empty() || *holder == device_)) {
    const std::string problem =
        base::write_file_atomically(places_.resolv_conf, *old, mode_of(places_.backup));
    if (!problem.empty()) return log_.warning("name servers are not given back: " + problem);
  } else if (!old || !holder || !hand_on(*old)) {
    log_.warning(places_.resolv_conf + " was changed by somebody else and stays as it is");
  }
  ::unlink(places_.backup.c_str());
}

// Another tunnel has replaced our lines and kept them; in their place it is to give back what we
// found. False: there is none.
bool DnsSetup::hand_on(const std::string& old) {
  const std::filesystem::path own(places_.backup);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(own.parent_path(), error)) {
    const std::string path = entry.path().string();
    if (path == places_.backup || !path.ends_with(kBackupEnd)) continue;
    const auto kept = base::read_file(path);
    if (!kept || device_of_resolv_conf(*kept) != device_) continue;
    const std::string problem = base::write_file_atomically(path, old, mode_of(places_.backup));
    if (!problem.empty()) log_.warning("name servers may not be given back: " + problem);
    return true;
  }
  return false;
}

// Before it is done: undone needlessly it does no harm.
void DnsSetup::note_down(std::string_view way) {
  if (places_.note.empty()) return;
  const std::string text = boot_id() + " " + std::string(way) + " " + device_ + "\n";
  const std::string problem = base::write_file_atomically(places_.note, text, 0600);
  if (!problem.empty()) log_.warning("after a kill, name servers may stay: " + problem);
}

void DnsSetup::forget_note() {
  if (!places_.note.empty()) ::unlink(places_.note.c_str());
}

// Who was told, and of which device. False: nothing is noted that could still be there.
bool DnsSetup::read_note() {
  const auto text = base::read_file(places_.note, kNoteBytesMax);
  if (!text) return false;
  const auto words = base::split_words(*text);
  if (words.size() != 3 || !base::is_interface_name(words[2])) return false;
  const bool by_helper = words[1] == kByHelper;
  // What the helper did may have outlived a boot, and it knows.
  if (words[0] != boot_id() && !by_helper) return false;
  device_ = words[2];
  way_ = by_helper ? Way::kHelper : words[1] == kByResolvconf ? Way::kResolvconf : Way::kResolved;
  return true;
}

void DnsSetup::take_over(const std::string& device, const DnsPlan& plan) {
  const bool in_file = !places_.backup.empty() && ::access(places_.backup.c_str(), F_OK) == 0;
  if (in_file) {
    way_ = Way::kFile;
  } else if (places_.note.empty() || !read_note() || device_ != device) {
    way_ = Way::kNone;
    return;
  }
  device_ = device;
  plan_ = plan;
}

// False: some of it could not be undone and stays noted.
bool DnsSetup::undo_noted(const std::string& how) {
  if (read_note()) {
    log_.notice(how + "name servers of " + device_);
    const bool nobody_to_ask = way_ == Way::kHelper && places_.helper.empty();
    if (!nobody_to_ask) {
      undo();
      return ::access(places_.note.c_str(), F_OK) != 0;
    }
    way_ = Way::kNone;
  }
  forget_note();
  return true;
}

bool DnsSetup::undo_left_behind(const std::string& device) {
  const bool all = places_.note.empty() || undo_noted(device.empty() ? kLeftBehind : kGivenBack);
  device_ = device;
  const auto is_kept = [this] { return ::access(places_.backup.c_str(), F_OK) == 0; };
  if (places_.backup.empty() || !is_kept()) return all;
  log_.notice((device.empty() ? kLeftBehind : kGivenBack) + places_.resolv_conf);
  restore_file();
  return !is_kept() && all;
}

}  // namespace hostnet
