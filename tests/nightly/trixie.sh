#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: the tree builds without a warning on Debian 13, with its compiler and libraries, passes the
# unit and sim tests there, and what is built is installed and run by the systemd of Debian 13, as
# PID 1 of a disposable host. Needs root.
#   trixie.sh
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

need_root 'a root of another release is entered by chroot'
need_packages build test
mapfile -t packages < <("$top/bootstrap" packages build test)
root=$("$top/tests/tools/debian-root" debian-13 trixie apt "$(dpkg --print-architecture)" \
  base-files systemd systemd-sysv dbus udev "${packages[@]}") || fail 'the Debian 13 root'
host=nightly-trixie

# there COMMAND...: in that root. The tree is at /tree, read-only; what is built is at /build.
there() {
  # shellcheck disable=SC2016  # for the inner shell
  root=$root top=$top unshare --mount --pid --fork bash -c '
    set -e
    mount --make-rprivate /
    mkdir -p "$root/tree" "$root/build"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    mount --bind "$top" "$root/tree"
    mount -o remount,bind,ro "$root/tree"
    exec chroot "$root" /usr/bin/env -i -C / PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LANG=C.UTF-8 \
      "$@"' there "$@"
}

in_host() { "$top/tests/tools/testhost" run "$host" "$@"; }

# The host's systemd wants the unified hierarchy whatever this machine has.
boot_host() {
  trap '"$top/tests/tools/testhost" down "$host"' EXIT
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 "$top/tests/tools/testhost" up "$host" --root "$root"
}

step 'configuring' there cmake -S /tree -B /build -G Ninja -DCMAKE_BUILD_TYPE=Debug \
  '-DCMAKE_CXX_FLAGS_DEBUG=-Og -g1' -DCMAKE_INSTALL_PREFIX=/usr/local >/dev/null
step 'build' there cmake --build /build -j "$jobs"
step 'unit and sim tests' there ctest --test-dir /build -L '^(unit|sim)$' -j "$jobs" --no-tests=error \
  --output-on-failure
step 'booting its systemd' boot_host
say "$(in_host systemctl --version | head -n 1)"
step 'install' in_host cmake --install /build >/dev/null
step 'tunctl version' in_host tunctl version
say 'passed'
