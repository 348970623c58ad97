#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The boards tunctl mostly runs on: cross-build for arm64 and armhf, then run unit and sim tests
# (with them the byte vectors) under qemu's user mode. Libraries of the other processor come from a
# root of their own; the machine's packages stay as they are.
#   cross.sh [arm64|armhf...]
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
libraries=(libc6-dev libstdc++-12-dev libssl-dev libssl3 libsystemd-dev libmnl-dev libfmt-dev
           libtomlplusplus-dev libboost-dev libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev)

# toolchain FILE TRIPLET PROCESSOR QEMU SYSROOT
toolchain() {
  cat >"$1" <<TEXT
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR $3)
set(CMAKE_CXX_COMPILER $2-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $2)
set(CMAKE_SYSROOT $5)
set(CMAKE_FIND_ROOT_PATH $5)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Notes on what GCC 7 changed on ARM say nothing of this code.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
set(CMAKE_CROSSCOMPILING_EMULATOR "$4;-L;$5")
set(ENV{PKG_CONFIG_SYSROOT_DIR} $5)
set(ENV{PKG_CONFIG_LIBDIR} $5/usr/lib/$2/pkgconfig:$5/usr/share/pkgconfig)
TEXT
}

cross() { # ARCHITECTURE TRIPLET PROCESSOR QEMU
  local build=$top/build/$1 sysroot
  echo "-- $1"
  sysroot=$("$top/tests/tools/debian-root" "sysroot-$1" bookworm extract "$1" "${libraries[@]}")
  mkdir -p "$build"
  toolchain "$build/toolchain.cmake" "$2" "$3" "$4" "$sysroot"
  cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1" \
    -DCMAKE_TOOLCHAIN_FILE="$build/toolchain.cmake" >"$build/configure.log" ||
    { cat "$build/configure.log"; return 1; }
  cmake --build "$build" -j "${TUNCTL_JOBS:-$(nproc)}"
  # Scripts are the same on every processor and ran already; qemu is slow, so limits are longer.
  TUNCTL_EMULATED=1 ctest --test-dir "$build" -L '^(unit|sim)$' -E '^install_' \
    --output-on-failure --timeout 900 -j "${TUNCTL_JOBS:-1}"
}

(($#)) || set -- arm64 armhf
for architecture in "$@"; do
  case $architecture in
    arm64) cross arm64 aarch64-linux-gnu aarch64 qemu-aarch64-static ;;
    armhf) cross armhf arm-linux-gnueabihf arm qemu-arm-static ;;
    *) echo "cross.sh: no such processor: $architecture" >&2; exit 2 ;;
  esac
done
