// SPDX-License-Identifier: Apache-2.0
#include <malloc.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "fastpath/engine/left_behind.h"
#include "fastpath/engine/log_sink.h"
#include "fastpath/engine/program.h"

namespace {

constexpr const char* kVersion =
    "tunctl-fastpath " TUNCTL_VERSION " [TLS] [static key] [cleartext] [UDP] [TCP] [IPv6]\n";

constexpr const char* kHelp =
    "Usage: tunctl-fastpath CONFIG\n"
    "       tunctl-fastpath --config FILE [--directive ARGUMENT...]...\n"
    "       tunctl-fastpath --undo|--undo-kept DIR...\n"
    "\n"
    "Runs one OpenVPN tunnel over UDP or TCP: to a server as its client, or between two equal\n"
    "ends, by TLS, a static key or none. Takes OpenVPN's directives, in the file or as --options;\n"
    "what it does not do it refuses by name and line.\n"
    "\n"
    "Its own options:\n"
    "  --state-dir DIR            where packet-id time and last peer are kept\n"
    "  --credentials-file FILE    user name and password, for auth-user-pass without a file\n"
    "  --ask FILE [COMMAND]       socket where a person's answers come in, and what gives them\n"
    "  --dns pushed|off|ADDRESS...  what becomes of name servers for the whole machine\n"
    "  --ready started|connected [SECONDS]  when to tell the service manager that it is ready\n"
    "  --clock-wait SECONDS|off   how long to wait for a clock that is not set yet\n"
    "  --resume on|off            whether the run after a kill or a restart goes on with this one\n"
    "  --crypto-library auto|openssl  what encrypts packets; auto measures once per machine\n"
    "  --threads N|auto           data threads of this tunnel, 1 to 16\n"
    "  --acknowledge-cleartext    a tunnel without a key is meant\n"
    "  --undo DIR...              give back what an engine with this state folder left when it "
    "was\n"
    "                             killed, and end\n"
    "  --undo-kept DIR...         the same of what it left to the next run, if none runs\n"
    "  --help, --version\n"
    "\n"
    "Signals: TERM, INT stop; HUP read the config again; USR1 restart; USR2 counters to the log.\n"
    "Exit status: 0 stopped as asked; 78 a restart cannot mend it; 1 anything else.\n"
    "See tunctl-fastpath(8).\n";

}  // namespace

int main(int argc, char** argv) {
  // One heap for all threads: the second one's would cost more than it saves.
  ::mallopt(M_ARENA_MAX, 1);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && (arguments[0] == "--help" || arguments[0] == "-h")) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  if (arguments.size() == 1 && arguments[0] == "--version") {
    std::fputs(kVersion, stdout);
    return 0;
  }
  if (arguments.empty()) {
    std::fputs(kHelp, stderr);
    return 78;
  }
  try {
    const bool kept = arguments[0] == "--undo-kept";
    if ((kept || arguments[0] == "--undo") && arguments.size() > 1) {
      return engine::undo_program({arguments.begin() + 1, arguments.end()},
                                  kept ? engine::UndoWhat::kKept : engine::UndoWhat::kAll);
    }
    return engine::run_program(arguments);
  } catch (const base::FatalError& error) {
    engine::early_log().error(error.what());
    return error.exit_status();
  }
}
