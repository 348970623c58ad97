# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# To be sourced by every nightly stage: where the tree is, how many jobs, and how a stage ends.
# A stage ends with 0, with one line "STAGE: failed: WHAT" and 1, or with "SKIPPED: REASON" and 77.
set -euo pipefail

stage=$(basename "$0" .sh)
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck disable=SC2034  # for the stages
jobs=${TUNCTL_JOBS:-$(nproc)}

say() { printf '%s\n' "$stage: $*"; }
fail() { printf '%s\n' "$stage: failed: $*" >&2; exit 1; }
skip() { printf '%s\n' "SKIPPED: $*"; exit 77; }

# step WHAT COMMAND...: the command, or the end of the stage.
step() {
  local what=$1
  shift
  "$@" || fail "$what"
}

need_packages() { step 'packages' "$top/bootstrap" deps "$@"; }
need_root() { [[ $(id -u) == 0 ]] || skip "needs root: $1"; }

# run_ctest BUILD LABELS [CTEST OPTION...]: fails as well when the labels select no test at all.
run_ctest() {
  local build=$1 labels=$2
  shift 2
  ctest --test-dir "$build" -L "^($labels)\$" -j "$jobs" --no-tests=error --output-on-failure "$@"
}
