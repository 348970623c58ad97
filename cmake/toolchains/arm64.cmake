# SPDX-License-Identifier: Apache-2.0
# Debian's arm64 (64-bit ARM) by g++-aarch64-linux-gnu.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(TUNCTL_TRIPLET aarch64-linux-gnu)
set(TUNCTL_QEMU qemu-aarch64-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)
