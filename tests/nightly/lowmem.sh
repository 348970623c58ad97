#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: the demo and every test of `bootstrap test` run in 256 MB of memory, all processes of a run
# together (engines, supervisors, stock OpenVPN, the hosts' systemd and their disks, iperf3, the test
# runner itself), page cache and what the kernel holds for them included, without swap. The limit is
# a memory cgroup's, v1 or v2; a process killed for lack of memory fails the stage even if its test
# did not mind. Building is outside of it. The kernel's own memory is not counted: a board needs some
# 60 MB more.
# Where no memory cgroup can be made, each process gets 256 MB of address space instead. That bounds
# each one, not their sum; the last line says which of the two it was.
#   lowmem.sh [demo|tests]...
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

limit_mb=256
limit=$((limit_mb << 20))
group=

# Sets group, and its files by name, or fails.
make_group() {
  local parent=/sys/fs/cgroup/memory
  limit_file=memory.limit_in_bytes swap_file=memory.memsw.limit_in_bytes swap=$limit
  peak_file=memory.max_usage_in_bytes
  if [[ ! -d $parent ]]; then
    parent=/sys/fs/cgroup
    limit_file=memory.max swap_file=memory.swap.max swap=0 peak_file=memory.peak
    echo +memory 2>/dev/null >"$parent/cgroup.subtree_control" || return 1
  fi
  mkdir "$parent/tunctl-lowmem-$$" 2>/dev/null || return 1
  group=$parent/tunctl-lowmem-$$
  trap remove_group EXIT
  echo "$limit" >"$group/$limit_file" || return 1
  [[ ! -e $group/$swap_file ]] || echo "$swap" >"$group/$swap_file" || return 1
}

remove_group() {
  local i
  for ((i = 0; i < 50; i++)); do
    find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
    [[ -d $group ]] || return 0
    sleep 0.1
  done
  say "$group is still in use"
}

# small COMMAND...: the command within the limit.
small() {
  if [[ -n $group ]]; then
    # shellcheck disable=SC2016  # for the inner shell
    bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@"
  else
    (ulimit -v $((limit / 1024)) && "$@")
  fi
}

# All that the machine ever killed: a group of the run's own hosts takes its count with it.
killed() { sed -n 's/^oom_kill //p' /proc/vmstat; }

run_demo() {
  [[ -f $top/tests/demo/demo.py ]] || { say 'no demo in this tree'; return; }
  step 'build of the demo' "$top/bootstrap" build release
  step 'the demo' small "$top/bootstrap" demo
}

run_tests() {
  step 'build of the tests' "$top/bootstrap" build dev
  step 'the tests' small env TUNCTL_JOBS=1 python3 "$top/tests/tools/run_tests.py" "$top/build/dev"
}

(($#)) || set -- tests demo
need_packages build demo test
make_group || group=
killed_before=$(killed)
for what in "$@"; do
  case $what in
    demo | tests) "run_$what" ;;
    *) fail "no such part: $what" ;;
  esac
done
if [[ -z $group ]]; then
  say "passed, but only with $limit_mb MB of address space for each process: no memory cgroup here"
else
  (($(killed) == killed_before)) ||
    fail "$(($(killed) - killed_before)) processes were killed for lack of memory"
  say "passed: all together in $limit_mb MB, peak with page cache $(($(<"$group/$peak_file") >> 20)) MB"
fi
