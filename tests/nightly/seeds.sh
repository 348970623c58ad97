#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: no seeded handshake over the noisy wire of tests/sim ends without keys, or with two that
# differ. A seed that fails is printed with how to run it again.
#   seeds.sh [COUNT]      as many at a time as there are CPUs; 100,000 unless given
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

count=${1:-100000} piece=500
[[ $count =~ ^[1-9][0-9]*$ ]] || fail "COUNT is a whole number, not $count"
build=$top/build/dev
failed=$build/failed_seeds

# play FIRST: the piece of seeds that begins there.
play() {
  local log=$build/seeds_$1.log
  TUNCTL_SIM_FIRST=$1 TUNCTL_SIM_COUNT=$((count - $1 < piece ? count - $1 : piece)) \
    "$build/tests/test_sim_control" --gtest_brief=1 >"$log" 2>&1 && rm -f "$log" && return
  { grep -E 'failing seed' "$log" || echo "seeds from $1 on: $(tail -n 1 "$log")"; } >>"$failed"
}

need_packages build test
cd "$top"
step 'configuring' cmake --preset dev >/dev/null
step 'build' cmake --build "$build" -j "$jobs" --target test_sim_control
export -f play
export build count failed piece
rm -f "$failed"
begin=$SECONDS
# shellcheck disable=SC2016  # for the inner shell
seq 0 "$piece" $((count - 1)) | xargs -P "$jobs" -I FIRST bash -euo pipefail -c 'play "$1"' _ FIRST
if [[ -s $failed ]]; then
  cat "$failed"
  fail "$(wc -l <"$failed") of the runs (logs: $build/seeds_*.log)"
fi
say "passed: $count seeds in $((SECONDS - begin)) s"
