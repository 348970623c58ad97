# SPDX-License-Identifier: Apache-2.0
# What the toolchains of Debian's cross-compilers have in common. The one that includes it has set
# TUNCTL_TRIPLET and TUNCTL_QEMU; TUNCTL_SYSROOT is a root with the libraries of that architecture
# (tests/nightly/cross.sh makes one).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${TUNCTL_TRIPLET}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${TUNCTL_TRIPLET})

set(TUNCTL_SYSROOT "" CACHE PATH "Root with the libraries of the machine that is built for")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TUNCTL_SYSROOT)
if(NOT IS_DIRECTORY "${TUNCTL_SYSROOT}/usr/lib/${TUNCTL_TRIPLET}")
  message(FATAL_ERROR "TUNCTL_SYSROOT must name a root with usr/lib/${TUNCTL_TRIPLET}")
endif()
set(CMAKE_SYSROOT ${TUNCTL_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${TUNCTL_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# pkg-config must not see this machine's own packages.
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${TUNCTL_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR}
    ${TUNCTL_SYSROOT}/usr/lib/${TUNCTL_TRIPLET}/pkgconfig:${TUNCTL_SYSROOT}/usr/share/pkgconfig)

set(CMAKE_CROSSCOMPILING_EMULATOR ${TUNCTL_QEMU} -L ${TUNCTL_SYSROOT})
