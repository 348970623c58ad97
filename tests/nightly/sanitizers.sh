#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: unit and sim tests pass with AddressSanitizer, UndefinedBehaviorSanitizer and, where the
# kernel lets it trace, LeakSanitizer; then, in a build of its own, with ThreadSanitizer. The first
# finding of any of them ends the test that made it.
#   sanitizers.sh [asan|tsan]...
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

# LeakSanitizer stops its own process by ptrace, which some containers forbid.
leaks_can_be_found() {
  local dir status=0
  dir=$(mktemp -d)
  echo 'int main() { return 0; }' >"$dir/nothing.cc"
  c++ -fsanitize=address -o "$dir/nothing" "$dir/nothing.cc" &&
    ASAN_OPTIONS=detect_leaks=1 "$dir/nothing" >/dev/null 2>&1 || status=1
  rm -rf "$dir"
  return $status
}

asan() {
  local leaks=1
  leaks_can_be_found || { leaks=0; say 'asan: leaks are not looked for: no ptrace here'; }
  step 'asan: build' "$top/bootstrap" build asan
  export ASAN_OPTIONS=halt_on_error=1:detect_leaks=$leaks:strict_string_checks=1
  export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
  step 'asan: tests' run_ctest "$top/build/asan" 'unit|sim'
}

# ThreadSanitizer of g++ 12 wants the memory map of kernels with less random addresses than some have
# today: setarch -R gives it.
tsan() {
  step 'tsan: build' "$top/bootstrap" build tsan
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  export -f run_ctest
  export jobs
  step 'tsan: tests' setarch -R bash -c 'run_ctest "$@"' run_ctest "$top/build/tsan" 'unit|sim'
}

(($#)) || set -- asan tsan
for kind in "$@"; do
  case $kind in
    asan | tsan) $kind ;;
    *) fail "no such sanitizer: $kind" ;;
  esac
done
say 'passed'
