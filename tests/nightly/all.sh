#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every nightly stage, one after the other; one that fails does not keep the next from running. Ends
# with a table, and fails when a stage failed. The output of a stage is kept in build/nightly too.
#   all.sh [STAGE]...      sanitizers cross fuzz trixie lowmem seeds clang_tidy tls threads
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

(($#)) || set -- sanitizers cross fuzz trixie lowmem seeds clang_tidy tls threads
logs=$top/build/nightly
mkdir -p "$logs"
table=() failed=0 skipped=0
for name in "$@"; do
  [[ -x $top/tests/nightly/$name.sh ]] || fail "no such stage: $name"
  printf '\n== nightly: %s\n' "$name"
  begin=$SECONDS status=0
  "$top/tests/nightly/$name.sh" 2>&1 | tee "$logs/$name.log" || status=$?
  case $status in
    0) result=passed ;;
    77) result=skipped skipped=1 ;;
    *) result=FAILED failed=1 ;;
  esac
  # A stage's last word says what, whichever way it went.
  why=$(grep -E "^(SKIPPED|$name): " "$logs/$name.log" | tail -n 1 || true)
  table+=("$(printf '   %-12s %-8s %6d s   %s' "$name" "$result" $((SECONDS - begin)) "$why")")
done
printf '\n== nightly stages\n'
printf '%s\n' "${table[@]}"
((failed == 0)) || exit 1
((skipped == 0)) || exit 77
