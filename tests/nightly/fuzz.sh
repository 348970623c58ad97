#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: no fuzz target crashes, leaks, trips a sanitizer or takes more than 10 s over an input in
# the given time, beginning with its committed seeds and what earlier runs added to the corpus below
# build/fuzz/corpus. An input that fails is kept in build/fuzz/crashes; a seed is made of it when the
# fault is mended.
#   fuzz.sh [SECONDS]      for each target; 60 unless given
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "SECONDS is a whole number, not $seconds"
build=$top/build/fuzz

fuzz() {
  local target=$1 name=${1##*/fuzz_} log status=0 seeds=()
  local corpus=$build/corpus/$name
  log=$build/fuzz_$name.log
  mkdir -p "$corpus" "$build/crashes"
  [[ ! -d $top/tests/fuzz/seeds/$name ]] || seeds=("$top/tests/fuzz/seeds/$name")
  ((${#seeds[@]})) || say "$name has no seeds"
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" "$corpus" "${seeds[@]}" \
    >"$log" 2>&1 || status=$?
  say "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions in $seconds s," \
    "$(find "$corpus" -type f | wc -l) inputs kept"
  ((status == 0)) && return
  grep -E 'ERROR|SUMMARY|runtime error|FUZZ_CHECK|Test unit written' "$log" || tail -n 20 "$log"
  return 1
}

step 'build' "$top/bootstrap" build fuzz
failed=()
targets=("$build"/tests/fuzz/fuzz_*)
for target in "${targets[@]}"; do
  [[ -x $target && -f $target ]] || fail "no fuzz target was built below $build/tests/fuzz"
  fuzz "$target" || failed+=("${target##*/}")
done
((${#failed[@]} == 0)) || fail "${failed[*]} (logs and inputs below $build)"
say "passed: ${#targets[@]} targets"
