#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: the tree builds without a warning on Debian 13, with its compiler and libraries, passes the
# unit and sim tests there; and that two disposable hosts with the systemd of Debian 13 as PID 1 install
# what was built and carry a tunnel through the life of its unit (tests/system/unit_life.py: enable
# --now, kill -9, watchdog, edits, disable). Needs root.
#   trixie.sh
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

need_root 'a root of another release is entered by chroot'
need_packages build test
mapfile -t packages < <("$top/bootstrap" packages build test)
root=$("$top/tests/tools/debian-root" debian-13 trixie apt "$(dpkg --print-architecture)" \
  base-files systemd systemd-sysv dbus udev "${packages[@]}") || fail 'the Debian 13 root'
build=$top/build/trixie

# there COMMAND...: in that root. The tree is where it is outside, read-only but for the build.
there() {
  # shellcheck disable=SC2016  # for the inner shell
  root=$root top=$top build=$build unshare --mount --pid --fork bash -c '
    set -e
    mount --make-rprivate /
    mkdir -p "$build" "$root$top"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$top" "$root$top"
    mount -o remount,bind,ro "$root$top"
    mount --bind "$build" "$root$build"
    exec chroot "$root" /usr/bin/env -i -C / PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 \
      "$@"' there "$@"
}

step 'configuring' there cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  -DTUNCTL_PRECOMPILED_HEADERS=ON \
  '-DCMAKE_CXX_FLAGS_DEBUG=-Og -g1' >/dev/null
step 'build' there cmake --build "$build" -j "$jobs"
step 'unit and sim tests' there ctest --test-dir "$build" -L '^(unit|sim)$' -j "$jobs" \
  --no-tests=error --output-on-failure
# Its systemd wants the unified hierarchy, whatever this machine has.
export TUNCTL_BUILD_DIR=$build TUNCTL_TESTHOST_ROOT=$root SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
step 'life of a unit on its systemd' python3 "$top/tests/system/unit_life.py" fastpath
say "passed, with $(there g++ --version | sed -n 1p) and $(there systemctl --version | sed -n 1p)"
