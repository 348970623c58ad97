#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The next Debian: build and unit tests in a Debian 13 root, with its compiler and libraries, then one
# system test in hosts that run its systemd. Needs root.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
packages=$("$top/bootstrap" packages build test)
# shellcheck disable=SC2086  # a list of words
root=$("$top/tests/tools/debian-root" debian-13 trixie apt "$(dpkg --print-architecture)" \
  base-files systemd systemd-sysv dbus setpriv $packages)

# run COMMAND...: in that root, the tree at /tree (its build/trixie the only place to write)
run() {
  mkdir -p "$top/build/trixie"
  # shellcheck disable=SC2016
  ROOT=$root TOP=$top unshare --mount --pid --fork bash -c '
    set -e
    mount --make-rprivate /
    mount --rbind /dev "$ROOT/dev"
    mount -t proc proc "$ROOT/proc"
    mkdir -p "$ROOT/tree"
    mount --bind "$TOP" "$ROOT/tree"
    exec chroot "$ROOT" /usr/bin/env -i -C /tree PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 "$@"
  ' run "$@"
}

run cmake -S /tree -B /tree/build/trixie -G Ninja -DCMAKE_BUILD_TYPE=Debug '-DCMAKE_CXX_FLAGS_DEBUG=-Og -g1'
run cmake --build /tree/build/trixie -j "${TUNCTL_JOBS:-$(nproc)}"
run ctest --test-dir /tree/build/trixie -L '^(unit|sim)$' --output-on-failure -j "${TUNCTL_JOBS:-1}"
if [[ -f $top/tests/system/two_hosts_test.py ]]; then
  TUNCTL_BUILD_DIR=$top/build/trixie TUNCTL_TESTHOST_ROOT=$root python3 "$top/tests/system/two_hosts_test.py"
fi
