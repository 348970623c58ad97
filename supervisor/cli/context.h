// SPDX-License-Identifier: Apache-2.0
// What a verb works with: the world behind interfaces, the global options, and the two voices.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ip.h"
#include "base/machine.h"
#include "base/time.h"
#include "supervisor/cli/exit_status.h"
#include "supervisor/host/file_store.h"
#include "supervisor/host/network_facts.h"
#include "supervisor/host/open_question.h"
#include "supervisor/host/process_facts.h"
#include "supervisor/host/service_manager.h"
#include "supervisor/pki/cipher_speed.h"
#include "supervisor/site/cross_check.h"
#include "supervisor/site/paths.h"

namespace cli {

// Everything outside the program that a verb may touch. Main fills it with the machine, tests with
// twins. References must outlive the run.
struct World {
  host::FileStore& files;
  // The service manager, connected at the first call; a Problem where there is none.
  std::function<base::Result<host::ServiceManager*>()> services;
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool colour_by_default = false;  // terminal, TERM, NO_COLOR and CLICOLOR_FORCE weighed up
  int columns = 80;
  int cpu_count = 1;
  std::function<base::Machine()> machine = {};  // looks at it for a tenth of a second
  // pki::measure_ciphers().
  std::function<std::vector<pki::CipherSpeed>(std::span<const pki::SpeedTask> tasks,
                                              const std::vector<int>& cpus, base::Duration time)>
      cipher_speeds = {};
  // host::watch_network(), host::udp_drops_of(), host::measure_path_mtu().
  std::function<host::NetworkFacts()> network = {};
  std::function<std::optional<std::uint64_t>(int pid)> udp_drops = {};
  std::function<std::optional<host::PathMtu>(const base::IpAddress& to, int bytes_max)> path_mtu =
      {};
  std::function<base::UnixSeconds()> now;
  std::function<base::TimePoint()> monotonic;
  std::function<void(base::Duration)> sleep;
  std::function<host::ProcessFacts(int pid)> process;
  // host::last_error_line().
  std::function<std::string(const std::string& unit, base::UnixSeconds from,
                            base::UnixSeconds until)>
      last_error;
  std::function<bool()> may_read_log = {};  // none: yes
  // host::is_foreign_interface(): no tunnel can have that name.
  std::function<bool(const std::string& interface)> foreign_interface = {};
  // The interfaces by which whoever types came onto this machine; none: not over ssh.
  std::function<std::vector<std::string>()> way_in;
  std::function<std::vector<std::string>(int pid)> tunnels;  // the tun interfaces it holds
  // Whether SIGINT, SIGTERM or SIGHUP came since it was first asked; from then on they end nothing.
  std::function<bool()> interrupted;
  // Reads what `tunctl run` leaves in that folder about the sites it holds.
  std::function<std::unique_ptr<host::ServiceManager>(const std::string& run_folder)> recorded;
  // The process of the `tunctl run` that holds a site, of those in that folder; 0: none.
  std::function<int(const std::string& run_folder, const std::string& site)> runner;
  // Keeps other commands out as long as the result lives; null: they are in.
  std::function<std::shared_ptr<void>(const std::vector<std::string>& folders)> hold;
  // Asks whoever sits at the terminal for a line, shown as it is typed or not; nothing: there is
  // no answer. The caller wipes it.
  std::function<std::optional<std::string>(const std::string& prompt, bool echo)> ask;
  // The question that an engine waits with at that socket.
  std::function<std::optional<host::OpenQuestion>(const std::string& socket)> question;
  // Shows text a screen at a time; false: there is no pager, print it.
  std::function<bool(const std::string& text)> page;
  // Replaces this process by a program from PATH; returns only to say why it could not.
  std::function<std::string(const std::vector<std::string>&)> become;
  // Runs a program of ours to its end, with our own outputs.
  std::function<void(const std::vector<std::string>&)> run;
  std::string folder;   // the working folder, absolute: relative operands begin there
  std::string program;  // this program's own path
  std::map<std::string, std::string> environment;
};

struct Globals {
  bool dry_run = false;
  bool quiet = false;
  int verbose = 0;
  bool pager = true;
  std::string colour = "auto";
  std::string root;
  std::optional<base::Duration> timeout;  // of verbs that wait for a far end
};

class Context {
 public:
  Context(World& world, Globals globals);

  World& world() { return world_; }
  host::FileStore& files() { return world_.files; }
  const Globals& globals() const { return globals_; }
  const site::Paths& paths() const { return paths_; }

  // Lines are made printable (base/printable.h): a hostile file is quoted in them.
  void say(std::string_view line);       // to stdout, with a line break; nothing under --quiet
  void print(std::string_view text);     // to stdout as it is: what was asked for
  void show(const std::string& text);    // to stdout as it is, by a pager if it is long
  void note(std::string_view line);      // to stderr as "tunctl: …"; nothing under --quiet
  void complain(std::string_view line);  // to stderr as "tunctl: …", always
  void complain(const base::Problem& problem);
  void complain(const base::Problems& problems);
  void warn(const base::Problems& warnings);  // as "tunctl: warning: …"; nothing under --quiet

  // "tunctl render a" as it has to be typed to mean the same files: with --root if there is one.
  std::string command(std::string_view words) const;
  // The command that brings up a site that was just made.
  std::string command_to_begin(const std::string& name) const;

  bool colour() const { return colour_; }
  // `text` in a colour if colours are on. Words carry the meaning, never colour alone.
  std::string green(std::string_view text) const { return painted(text, "32"); }
  std::string yellow(std::string_view text) const { return painted(text, "33"); }
  std::string red(std::string_view text) const { return painted(text, "31"); }

  // systemd; a Problem with the remedy where there is none, and under --root, where its units are
  // not.
  base::Result<host::ServiceManager*> services();
  // The same where a unit is only looked at: what `tunctl run` holds can be seen as well.
  host::ServiceManager& onlooker(std::string_view site);

  // What was read of other sites for comparing, by name; nothing: it cannot be read. Sites do not
  // change under a command that compares them (hold()).
  std::map<std::string, std::optional<site::Footprint>, std::less<>>& footprints() {
    return footprints_;
  }

  const base::Machine& machine();  // as it was when first asked for

  int runner_of(const std::string& site);  // World::runner, of this root
  // One command at a time changes sites: held from its first look to its last step. Null, with a
  // complaint: another one did not end in time.
  std::shared_ptr<void> hold();

  // From the folder of site files, sorted.
  std::vector<std::string> site_names();
  // The same folder's other files that were meant as sites, each a warning.
  base::Problems misnamed_sites();

 private:
  std::string painted(std::string_view text, const char* code) const;

  World& world_;
  const Globals globals_;
  const site::Paths paths_;
  bool colour_;
  std::unique_ptr<host::ServiceManager> recorded_;
  std::optional<base::Machine> machine_;
  std::map<std::string, std::optional<site::Footprint>, std::less<>> footprints_;
};

// The worse of two exit statuses: a failure to know outweighs a bad state, which outweighs success.
int worse(int a, int b);

}  // namespace cli
