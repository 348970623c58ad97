# SPDX-License-Identifier: Apache-2.0
# Debian's armhf (32-bit ARMv7 with hardware floating point) by g++-arm-linux-gnueabihf.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(TUNCTL_TRIPLET arm-linux-gnueabihf)
set(TUNCTL_QEMU qemu-arm-static)
include(${CMAKE_CURRENT_LIST_DIR}/debian_cross.cmake)

# That g++ 7 passed some arguments otherwise is a remark about every header of the standard library.
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)
