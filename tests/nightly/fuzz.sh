#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target for a while, from its committed seeds and what earlier runs found. A crash leaves
# its input in build/fuzz/crashes and fails the run.
#   fuzz.sh [SECONDS-PER-TARGET]      30 unless given
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seconds=${1:-30}
"$top/bootstrap" deps build test nightly
cd "$top"
cmake --preset fuzz >/dev/null
mapfile -t names < <(cd build/fuzz && ninja -t targets all | sed -nE 's/^(fuzz_\w+): phony$/\1/p')
cmake --build build/fuzz -j "${TUNCTL_JOBS:-$(nproc)}" --target "${names[@]}"
mkdir -p build/fuzz/crashes
failed=() count=0
for name in "${names[@]#fuzz_}"; do
  target=build/fuzz/tests/fuzz/fuzz_$name
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  echo "-- $name, $seconds s"
  count=$((count + 1))
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" "$corpus" "tests/fuzz/seeds/$name" \
    >"build/fuzz/$name.log" 2>&1 || failed+=("$name")
  grep -E '^stat::(number_of_executed_units|new_units_added|peak_rss_mb)|ERROR|SUMMARY|Test unit written' \
    "build/fuzz/$name.log" || true
done
echo "$count targets, ${#failed[@]} failed${failed[*]:+: ${failed[*]}}"
((count > 0 && ${#failed[@]} == 0))
