// SPDX-License-Identifier: Apache-2.0
#include "fastpath/hostnet/dns.h"

#include <net/if.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/interface_name.h"
#include "base/text.h"
#include "fastpath/hostnet/journal.h"
#include "fastpath/hostnet/resolved.h"

namespace hostnet {
namespace {

constexpr std::size_t kNoteBytesMax = 256;
constexpr std::string_view kByResolved = "resolved", kByResolvconf = "resolvconf";

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

void DnsSetup::set(const std::string& device, const DnsPlan& plan, bool whole_machine) {
  if (way_ != Way::kNone && device == device_ && plan == plan_) return;
  if (plan.empty()) return undo();
  if (way_ != Way::kResolved || device != device_) undo();
  device_ = device;
  plan_ = plan;
  if (try_resolved(device, plan)) return;
  if (!whole_machine) {
    return log_.notice("name servers for " + device +
                       " are not set: systemd-resolved does not run, and only `--dns pushed` lets "
                       "those of the whole machine be changed");
  }
  if (!try_resolvconf(device, plan)) replace_file(device, plan);
}

// True: nothing else need be tried.
bool DnsSetup::try_resolved(const std::string& device, const DnsPlan& plan) {
  const auto index = static_cast<int>(::if_nametoindex(device.c_str()));
  std::string reason;
  note_down(kByResolved);
  switch (resolved_set_link(places_.bus, index, plan, reason)) {
    case ResolvedAnswer::kDone:
      way_ = Way::kResolved;
      log_.info("name servers of " + device + " told to systemd-resolved");
      return true;
    case ResolvedAnswer::kRefused:
      log_.warning("name servers are not set, systemd-resolved refuses: " + reason +
                   "; run as root, or let this user set them by a polkit rule");
      if (way_ != Way::kResolved) forget_note();
      return true;
    case ResolvedAnswer::kAbsent:
      forget_note();
      break;
  }
  return false;
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
  std::string problem =
      base::write_file_atomically(places_.backup, old ? *old : std::string(), 0644);
  if (problem.empty()) {
    written_ = "# by tunctl for " + device + "; what was here is given back at its end\n" +
               resolv_conf_text(plan);
    problem = base::write_file_atomically(file, written_, 0644);
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
  }
}

void DnsSetup::restore_file() {
  const auto now = base::read_file(places_.resolv_conf);
  const auto old = base::read_file(places_.backup);
  if (now && old && now->starts_with("# by tunctl for ")) {
    const std::string problem = base::write_file_atomically(places_.resolv_conf, *old, 0644);
    if (!problem.empty()) return log_.warning("name servers are not given back: " + problem);
  } else {
    log_.warning(places_.resolv_conf + " was changed by somebody else and stays as it is");
  }
  ::unlink(places_.backup.c_str());
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

void DnsSetup::undo_noted() {
  const auto text = base::read_file(places_.note, kNoteBytesMax);
  if (!text) return;
  const auto words = base::split_words(*text);
  const bool of_this_boot = words.size() == 3 && words[0] == boot_id();
  if (!of_this_boot || !base::is_interface_name(words[2])) return forget_note();
  device_ = words[2];
  way_ = words[1] == kByResolvconf ? Way::kResolvconf : Way::kResolved;
  log_.notice("left behind by a killed engine, given back: name servers of " + device_);
  undo();
}

bool DnsSetup::undo_left_behind() {
  if (!places_.note.empty()) undo_noted();
  const auto is_kept = [this] { return ::access(places_.backup.c_str(), F_OK) == 0; };
  if (places_.backup.empty() || !is_kept()) return true;
  log_.notice("left behind by a killed engine, given back: " + places_.resolv_conf);
  restore_file();
  return !is_kept();
}

}  // namespace hostnet
