// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "supervisor/cli/complete.h"
#include "supervisor/cli/old_unit.h"
#include "supervisor/cli/verbs.h"

namespace cli {
namespace {

// The scripts know no verb: they ask `tunctl __complete`, so they cannot grow stale. Bash breaks
// words at @ unless told otherwise, and replaces no more than its function's second argument.
constexpr std::string_view kBash = R"(# bash completion for tunctl
_tunctl() {
  local words=() current before word i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 1)) && [[ $COMP_WORDBREAKS == *@* && -n $word ]] &&
       [[ $word == @* || ${words[-1]} == *@ ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=${words[-1]}
  before=
  [[ -z $2 || $current != *@* ]] || before=${current%"$2"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in
      :files) compopt -o filenames
              while IFS= read -r word; do
                COMPREPLY+=("${word#"$before"}")
              done < <(compgen -f -- "$current") ;;
      :folders) compopt -o filenames
              while IFS= read -r word; do
                COMPREPLY+=("${word#"$before"}")
              done < <(compgen -d -- "$current") ;;
      *) COMPREPLY+=("${word#"$before"}") ;;
    esac
  done < <(tunctl __complete "${words[@]}" 2>/dev/null)
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
  const Names names{context.site_names(), adoptable_units(context)};
  for (const Suggestion& found : complete(call.operands, names)) {
    context.print(found.word + (found.help.empty() ? "" : "\t" + found.help) + "\n");
  }
  return kOk;
}

}  // namespace cli
