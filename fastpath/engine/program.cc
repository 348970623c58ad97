// SPDX-License-Identifier: Apache-2.0
#include "fastpath/engine/program.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/problem_list.h"
#include "fastpath/engine/cipher_setup.h"
#include "fastpath/engine/engine.h"
#include "fastpath/engine/exit_status.h"
#include "fastpath/engine/keeper.h"
#include "fastpath/engine/left_behind.h"
#include "fastpath/engine/log_sink.h"
#include "fastpath/engine/process.h"
#include "fastpath/engine/state_place.h"
#include "ovpn/status_line.h"
#include "ovpn/take_over.h"

namespace engine {
namespace {

void tell(const base::Log& log, base::LogLevel level, const base::Problems& problems) {
  for (const base::Problem& problem : base::shortened(problems)) log(level, to_string(problem));
}

// What tells one tunnel started by hand from another.
std::string identity(const Loaded& loaded, const std::vector<std::string>& arguments) {
  if (!loaded.config_file.empty()) return loaded.config_file;
  std::string text;
  for (const std::string& argument : arguments) text += argument + "\n";
  return text;
}

int status_of(Ending ending) {
  if (ending == Ending::kLasting) return kExitLasting;
  return ending == Ending::kStopped || ending == Ending::kLeft ? kExitStopped : kExitFailed;
}

// One file for all tunnels that keep their state in one place: it is about the machine.
crypto::CipherChoice ciphers_for(const Loaded& loaded, const base::Log& log) {
  const config::CryptoConfig& crypto = loaded.config.crypto;
  const bool nothing_to_do = crypto.null_mode && !loaded.config.tls;
  if (nothing_to_do || loaded.own.crypto == CryptoLibrary::kOpenSsl) return {};
  return choose_ciphers(crypto::MultiBuffer::make(),
                        state_file(loaded.own.state_dir, "", "crypto-speed"), log);
}

// A daemon is another process than the one that was started, in a chroot nobody can be told, and
// without an interface there is nothing worth it.
bool may_be_kept(const Loaded& loaded) {
  const config::ProcessConfig& process = loaded.config.process;
  return loaded.own.resume && !process.daemon && process.chroot.empty() &&
         loaded.config.device.kind == config::DeviceKind::kTun;
}

// Everything behind a good config: throws base::FatalError.
int run_tunnels(const std::vector<std::string>& arguments, const std::string& directory,
                std::unique_ptr<Loaded> loaded, const base::Log& log) {
  become_daemon(loaded->config.process);
  Signals signals;
  Notifier notifier;
  const PidFile pid_file(loaded->config.process.write_pid);
  set_priorities(loaded->config.process, log);
  Privileges privileges(loaded->config.process, log);
  const std::string own_name = identity(*loaded, arguments);
  PacketTime packet_time(state_file(loaded->own.state_dir, own_name, ovpn::kPacketTime), log);
  Keeper keeper(state_file(loaded->own.state_dir, own_name, ovpn::kComesBack), log);
  LastPeer last_peer(state_file(loaded->own.state_dir, own_name, "last-peer"), log);

  io::AskSocket ask(loaded->own.ask_socket);
  if (!ask.problem().empty()) log.warning(ask.problem());

  std::unique_ptr<Loaded> next;
  EngineParts parts;
  parts.log = &log;
  parts.notifier = &notifier;
  parts.signals = &signals;
  parts.packet_time = &packet_time;
  parts.last_peer = &last_peer;
  parts.keeper = &keeper;
  parts.privileges = &privileges;
  parts.ask = &ask;
  parts.ciphers = ciphers_for(*loaded, log);
  parts.network_journal = state_file(loaded->own.state_dir, own_name, kNetworkJournal);
  parts.reload = [&] {
    auto again = load(arguments, directory);
    if (!again) tell(log, base::LogLevel::kError, again.error());
    if (again) next = std::make_unique<Loaded>(std::move(*again));
    return again.ok();
  };
  try {
    for (;;) {
      tell(log, base::LogLevel::kWarning, loaded->config.warnings);
      parts.loaded = loaded.get();
      keeper.begin(loaded->hash, notifier.listening() && may_be_kept(*loaded));
      if (keeper.keeps()) hide_memory();
      packet_time.keep_also([&](base::UnixSeconds time) { keeper.keep_time(time); },
                            keeper.last() ? keeper.last()->packet_time : 0);
      const Ending ending = Engine(parts).run();
      if (ending != Ending::kReload) return status_of(ending);
      loaded = std::move(next);
    }
  } catch (const base::FatalError& error) {
    keeper.stop();
    // The last word to the service manager is why: an exit status alone helps nobody.
    ovpn::StatusLine last;
    last.state = ovpn::ConnectionState::kExiting;
    last.note = error.what();
    notifier.status(ovpn::format_status_line(last));
    throw;
  }
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  const std::string directory = working_directory();
  auto loaded = load(arguments, directory);
  if (!loaded) {
    tell(early_log(), base::LogLevel::kError, loaded.error());
    return kExitLasting;
  }
  const base::Log log = make_log(loaded->config.process);
  try {
    return run_tunnels(arguments, directory, std::make_unique<Loaded>(std::move(*loaded)), log);
  } catch (const base::FatalError& error) {
    // Told where the tunnel logs: a daemon's stderr leads nowhere.
    log.error(error.what());
    return error.exit_status();
  } catch (const std::exception& error) {
    log.error(std::string("unexpected: ") + error.what());
    return kExitFailed;
  }
}

}  // namespace engine
