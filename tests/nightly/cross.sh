#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: everything builds without a warning for arm64 and for 32-bit ARM (armhf) with Debian's
# cross-compilers, and what is built passes the unit and sim tests (vectors and goldens among them)
# under QEMU's user-mode emulation: no layout, alignment or word size of this machine is relied on.
# It proves nothing about the kernel of such a machine: system calls are this machine's.
#   cross.sh [arm64|armhf]...
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

libraries=(libc6-dev libssl-dev libsystemd-dev libfmt-dev libmnl-dev liblz4-dev libboost-dev
           libtomlplusplus-dev nlohmann-json3-dev libcli11-dev libgtest-dev libgmock-dev)

# Tests that do not run here, by name and with the reason:
#   install_*, pages_*, fastpath_cli, command, terminal: scripts that run programs of the build
#   themselves, outside of QEMU; what they look at is the same on every processor.
#   test_fastpath_io_kernel: needs a socket option (PACKET_VNET_HDR) that QEMU does not pass on.
not_under_qemu='(install|pages)_.*|fastpath_cli|command|terminal|test_fastpath_io_kernel'

# The emulator looks up every path below the sysroot first, so only libraries and headers may be there;
# links of packages begin with / as on a machine of their own, and must stay inside.
clean_sysroot() (
  set -e
  cd "$1"
  [[ ! -L lib ]] || exit 0
  find . -mindepth 1 -maxdepth 1 ! -name lib ! -name usr -exec rm -rf {} +
  rm -rf usr/bin usr/sbin usr/share/doc usr/share/man usr/share/locale
  cp -a lib/. usr/lib/
  find . -type l -lname '/*' -printf '%p\t%l\n' | while IFS=$'\t' read -r link target; do
    ln -sfnr ".${target/#\/lib\//\/usr\/lib\/}" "$link"
  done
  rm -rf lib
  ln -s usr/lib lib
)

cross() {
  local arch=$1 build=$top/build/cross-$1 sysroot
  sysroot=$("$top/tests/tools/debian-root" "sysroot-$arch" bookworm extract "$arch" "${libraries[@]}") ||
    fail "$arch: sysroot"
  clean_sysroot "$sysroot" || fail "$arch: sysroot"
  step "$arch: configuring" cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
    -DTUNCTL_PRECOMPILED_HEADERS=ON \
    -DCMAKE_CXX_FLAGS_DEBUG='-O1 -g1' -DTUNCTL_SYSROOT="$sysroot" \
    -DCMAKE_TOOLCHAIN_FILE="$top/cmake/toolchains/$arch.cmake" >/dev/null
  step "$arch: build" cmake --build "$build" -j "$jobs"
  step "$arch: tests" run_ctest "$build" 'unit|sim' -E "^($not_under_qemu)\$"
}

(($#)) || set -- arm64 armhf
need_packages build test nightly
failed=()
for arch in "$@"; do
  [[ -f $top/cmake/toolchains/$arch.cmake ]] || fail "no such architecture: $arch"
  (cross "$arch") || failed+=("$arch")
done
((${#failed[@]} == 0)) || fail "${failed[*]}"
say 'passed'
