// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "supervisor/cli/complete.h"
#include "supervisor/cli/verbs.h"

namespace cli {
namespace {

// The scripts know no verb: they ask `tunctl __complete`, so they cannot grow stale.
constexpr std::string_view kBash = R"(# bash completion for tunctl
_tunctl() {
  local current=${COMP_WORDS[COMP_CWORD]} word
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files) compopt -o filenames
              while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames
              while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done < <(tunctl __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _tunctl tunctl
)";

constexpr std::string_view kZsh = R"(#compdef tunctl
_tunctl() {
  local -a lines described
  local line
  lines=("${(@f)$(tunctl __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
      :files*) _files ;;
      :folders*) _files -/ ;;
      *$'\t'?*) described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
      ?*) described+=("${${line%%$'\t'*}//:/\\:}") ;;
    esac
  done
  (( $#described )) && _describe tunctl described
}
if [ "$funcstack[1]" = _tunctl ]; then _tunctl "$@"; else compdef _tunctl tunctl; fi
)";

constexpr std::string_view kFish = R"(# fish completion for tunctl
function __tunctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (tunctl __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':files*'
                __fish_complete_path (commandline -ct)
            case ':folders*'
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c tunctl -f -a '(__tunctl_complete)'
)";

}  // namespace

int run_completion(Context& context, const Call& call) {
  const std::string& shell = call.operands.at(0);
  if (shell != "bash" && shell != "zsh" && shell != "fish") {
    context.complain("completion knows bash, zsh and fish, not '" + shell + "'");
    return kUsage;
  }
  context.print(shell == "bash" ? kBash : shell == "zsh" ? kZsh : kFish);
  return kOk;
}

int run_complete(Context& context, const Call& call) {
  const auto names = context.site_names();
  for (const Suggestion& found : complete(call.operands, names)) {
    context.print(found.word + (found.help.empty() ? "" : "\t" + found.help) + "\n");
  }
  return kOk;
}

}  // namespace cli
