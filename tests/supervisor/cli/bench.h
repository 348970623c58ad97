// SPDX-License-Identifier: Apache-2.0
// A whole tunctl command against a disk and a service manager in memory.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "supervisor/cli/command_line.h"
#include "tests/support/fake_service_manager.h"
#include "tests/support/memory_file_store.h"

namespace cli {

struct Bench {
  support::MemoryFileStore files;
  support::FakeServiceManager services;
  support::FakeServiceManager recorded;  // what `tunctl run` holds
  bool has_systemd = true;
  host::ProcessFacts process;
  std::string last_error;
  bool may_read_log = true;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  std::vector<std::string> answers;  // what the person at the terminal will type
  std::string asked;                 // of that person so far
  host::OpenQuestion asks;           // an engine's; no kind: none
  std::string answered;              // to it
  int cpu_count = 4;
  base::Machine machine;
  std::optional<std::array<double, 3>> speed;  // of every cipher
  host::NetworkFacts network;
  std::optional<std::uint64_t> udp_drops;  // of every process
  std::optional<host::PathMtu> path_mtu;   // to everywhere
  std::vector<std::string> measured;       // addresses to which that was asked, in the last run
  base::UnixSeconds now = 1764500000;
  std::string input;                          // standard input
  std::string out, err;                       // of the last run
  std::vector<std::string> became;            // the program the last run turned into
  std::vector<std::vector<std::string>> ran;  // programs the last run waited for
  base::Duration slept{};                     // in the last run
  int runner = 0;                             // pid of the `tunctl run` that holds every site
  bool busy = false;                          // another command does not end
  std::vector<std::string> held;              // what the last run asked to hold

  std::string foreign_interface;                    // such as a network card
  std::vector<std::string> way_in;                  // interfaces by which whoever types came in
  std::vector<std::string> tunnels;                 // that every process holds
  std::optional<base::Duration> interrupted_after;  // Ctrl-C, once so long has been slept
  std::function<void()> while_asleep;               // what others do meanwhile

  int run(std::vector<std::string> words) {
    std::istringstream in(input);
    std::ostringstream out_stream, err_stream;
    World world{.files = files,
                .services = [this]() -> base::Result<host::ServiceManager*> {
                  if (has_systemd) return &services;
                  return base::Problem{{}, std::string(host::kNoSystemd), "use `tunctl run NAME`"};
                },
                .in = in,
                .out = out_stream,
                .err = err_stream,
                .in_is_terminal = in_is_terminal,
                .out_is_terminal = out_is_terminal,
                .cpu_count = cpu_count,
                .now = [this] { return now; },
                .monotonic = [this] { return base::TimePoint(slept); },
                .sleep = [this](base::Duration time) { slept += time; },
                .process = [this](int) { return process; },
                .last_error = {},
                .way_in = {},
                .tunnels = {},
                .interrupted = {},
                .recorded =
                    [this](const std::string&) {
                      auto held = std::make_unique<support::FakeServiceManager>(recorded);
                      held->systemd_version = 0;
                      return held;
                    },
                .runner = [this](const std::string&, const std::string&) { return runner; },
                .hold = [this](const std::vector<std::string>& folders) -> std::shared_ptr<void> {
                  held = folders;
                  return busy ? nullptr : std::make_shared<int>();
                },
                .ask = [this](const std::string& prompt, bool echo) -> std::optional<std::string> {
                  asked += prompt + (echo ? "(shown)" : "(unseen)");
                  if (answers.empty()) return std::nullopt;
                  std::string answer = answers.front();
                  answers.erase(answers.begin());
                  return answer;
                },
                .question = [this](const std::string&) -> std::optional<host::OpenQuestion> {
                  if (asks.kind.empty()) return std::nullopt;
                  host::OpenQuestion open = asks;
                  open.answer = [this](std::string_view text) {
                    answered = text;
                    return std::string();
                  };
                  return open;
                },
                .page = [](const std::string&) { return false; },
                .become =
                    [this](const std::vector<std::string>& argv) {
                      became = argv;
                      return std::string();
                    },
                .run = [this](const std::vector<std::string>& argv) { ran.push_back(argv); },
                .folder = "/srv/admin",
                .program = "/usr/local/bin/tunctl",
                .environment = {}};
    put_on_a_machine(world);
    put_a_person_before(world);
    slept = {};
    became.clear();
    ran.clear();
    measured.clear();
    const int status = run_command(world, std::move(words));
    out = out_stream.str();
    err = err_stream.str();
    return status;
  }

  void put_on_a_machine(World& world) {
    world.last_error = [this](const std::string&, base::UnixSeconds, base::UnixSeconds) {
      return last_error;
    };
    world.may_read_log = [this] { return may_read_log; };
    world.machine = [this] { return machine; };
    world.network = [this] { return network; };
    world.udp_drops = [this](int) { return udp_drops; };
    world.path_mtu = [this](const base::IpAddress& to, int) {
      measured.push_back(to.to_string());
      return path_mtu;
    };
    world.cipher_speeds = [this](std::span<const pki::SpeedTask> tasks,
                                 const std::vector<int>& cpus, base::Duration) {
      std::vector<pki::CipherSpeed> speeds;
      for (const int cpu : cpus) {
        for (const auto& task : tasks) speeds.push_back({task, cpu, speed});
      }
      return speeds;
    };
  }

  void put_a_person_before(World& world) {
    world.way_in = [this] { return way_in; };
    world.foreign_interface = [this](const std::string& name) { return name == foreign_interface; };
    world.tunnels = [this](int) { return tunnels; };
    world.interrupted = [this] { return interrupted_after && slept >= *interrupted_after; };
    world.sleep = [this](base::Duration time) {
      slept += time;
      if (while_asleep) while_asleep();
    };
  }

  // "tunctl new NAME" with a static key and a peer at 192.0.2.7.
  int make_site(const std::string& name) {
    return run({"new", name, "--mode", "static-key", "--remote", "192.0.2.7", "--far-remote",
                "gw.example"});
  }
};

}  // namespace cli
