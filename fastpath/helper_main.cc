// SPDX-License-Identifier: Apache-2.0
// tunctl-helper: what takes root, for engines that are not. Started by systemd for one call, which
// is its standard input.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/log.h"
#include "fastpath/root_helper/serve.h"

namespace {

constexpr const char* kHelp =
    "Usage: tunctl-helper\n"
    "       tunctl-helper --undo [SITE]\n"
    "\n"
    "Does for a tunnel's engine what takes root: name servers of the machine, and a question to\n"
    "systemd's password agents. Started by tunctl-helper.socket; the call is its standard input.\n"
    "\n"
    "  --undo     give back all name servers that stand noted, or those of a site, and end\n"
    "  --help, --version\n"
    "\n"
    "See tunctl-helper(8).\n";

}  // namespace

int main(int argc, char** argv) {
  ::umask(022);
  const base::Log log(base::fd_sink(
      STDERR_FILENO, base::is_journal_stream(STDERR_FILENO, ::getenv("JOURNAL_STREAM"))));
  const std::string_view word = argc == 2 || argc == 3 ? argv[1] : "";
  if (argc == 1) {
    root_helper::serve(STDIN_FILENO, {}, log);
  } else if (word == "--undo" && argc == 3) {
    root_helper::undo_site(argv[2], {}, log);
  } else if (word == "--undo") {
    root_helper::undo_all({}, log);
  } else if (argc == 2 && (word == "--help" || word == "-h")) {
    std::fputs(kHelp, stdout);
  } else if (argc == 2 && word == "--version") {
    std::fputs("tunctl-helper " TUNCTL_VERSION "\n", stdout);
  } else {
    std::fputs(kHelp, stderr);
    return 2;
  }
  return 0;
}
