# SPDX-License-Identifier: Apache-2.0
# Warnings, sanitizers and hardening in one interface target that every room links privately.
set(TUNCTL_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

add_library(tunctl_compiler INTERFACE)
target_compile_options(tunctl_compiler INTERFACE -Wall -Wextra -Werror -fstack-protector-strong)
target_compile_definitions(tunctl_compiler INTERFACE _FILE_OFFSET_BITS=64 _TIME_BITS=64)
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
if("${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" MATCHES "-O[1-3gs]" AND NOT TUNCTL_SANITIZE)
  # Not only in what is shipped: with it, a result that nobody reads is an error.
  target_compile_definitions(tunctl_compiler INTERFACE _FORTIFY_SOURCE=2)
endif()
if((TUNCTL_SANITIZE OR NOT CMAKE_BUILD_TYPE MATCHES "Rel") AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What follows values through inlined code is often wrong about std::string where code is
  # instrumented or barely optimized (GCC bugs 105329, 105651). What is shipped is built with them.
  target_compile_options(tunctl_compiler INTERFACE
    -Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overflow
    -Wno-stringop-overread)
endif()

if(TUNCTL_SANITIZE)
  add_compile_options(-fsanitize=${TUNCTL_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${TUNCTL_SANITIZE})
endif()
if(TUNCTL_FUZZ)
  # Coverage for the rooms themselves; only the fuzz programs link libFuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_link_options(-Wl,-z,relro,-z,now)

# The headers that most files include, compiled once: a build from nothing costs a third less. Release
# goes without; that a file includes what it names is for tests/tidy to see.
option(TUNCTL_PRECOMPILED_HEADERS "Compile the common headers once" OFF)

find_program(CCACHE ccache)
if(CCACHE AND TUNCTL_PRECOMPILED_HEADERS)
  # What ccache wants to know before it caches what was compiled with them.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-fpch-preprocess)
  endif()
elseif(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
