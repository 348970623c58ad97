#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unit and sim tests under the address, undefined-behaviour and thread sanitizers.
#   sanitizers.sh [asan|tsan...]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1
(($#)) || set -- asan tsan
for preset in "$@"; do
  echo "-- $preset"
  "$top/bootstrap" build "$preset"
  # Without randomised addresses: the thread sanitizer of GCC 12 does not know the layouts that
  # newer kernels choose.
  setarch --addr-no-randomize ctest --test-dir "$top/build/$preset" -L '^(unit|sim)$' \
    --output-on-failure --timeout 600 -j "${TUNCTL_JOBS:-1}"
done
