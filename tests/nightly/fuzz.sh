#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: no fuzz target crashes, leaks, trips a sanitizer or takes more than 10 s over an input in
# the given time, beginning with its committed seeds and what earlier runs added to the corpus below
# build/fuzz/corpus. An input that fails is kept in build/fuzz/crashes; a seed is made of it when the
# fault is mended.
#   fuzz.sh [SECONDS]      for each target, as many at a time as there are CPUs; 60 unless given
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

seconds=${1:-60}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "SECONDS is a whole number, not $seconds"
build=$top/build/fuzz

# The targets with their folders of seeds, one a line, as tests/fuzz/CMakeLists.txt tells ctest; those
# that are not built yet without folders.
targets() {
  ctest --test-dir "$build" -L '^fuzz$' --show-only=json-v1 | python3 -c '
import json, sys
for test in json.load(sys.stdin)["tests"]:
    folders = [word for word in test.get("command", [])[1:] if not word.startswith("-")]
    print(test["name"], *folders[1:])'
}

# fuzz TARGET [SEEDS...]
fuzz() {
  local name=${1#fuzz_} status=0
  local log=$build/$1.log corpus=$build/corpus/$name
  shift
  mkdir -p "$corpus" "$build/crashes"
  "$build/tests/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" "$corpus" "$@" \
    >"$log" 2>&1 || status=$?
  say "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") executions in $seconds s," \
    "$(find "$@" -type f | wc -l) seeds, $(find "$corpus" -type f | wc -l) inputs kept"
  ((status == 0)) && return
  grep -E 'ERROR|SUMMARY|runtime error|FUZZ_CHECK|Test unit written' "$log" || tail -n 20 "$log"
  return 1
}

# fuzz_line 'TARGET SEEDS...': one of several at a time, so what failed is noted in a file.
fuzz_line() {
  local words
  read -r -a words <<<"$1"
  fuzz "${words[@]}" || echo "${words[0]}" >>"$build/failed"
}

need_packages build test nightly
cd "$top"
step 'configuring' cmake --preset fuzz >/dev/null
mapfile -t lines < <(targets)
((${#lines[@]})) || fail 'the build has no fuzz target'
step 'build' cmake --build "$build" -j "$jobs" --target "${lines[@]%% *}"
mapfile -t lines < <(targets)
for line in "${lines[@]}"; do
  [[ $line == *' '* ]] || fail "$line has no seeds"
done
export -f fuzz fuzz_line say
export build seconds stage
rm -f "$build/failed"
# shellcheck disable=SC2016  # for the inner shell
printf '%s\n' "${lines[@]}" | xargs -P "$jobs" -I LINE bash -euo pipefail -c 'fuzz_line "$1"' _ LINE
[[ ! -s $build/failed ]] || fail "$(paste -sd ' ' "$build/failed") (logs and inputs below $build)"
say "passed: ${#lines[@]} targets"
