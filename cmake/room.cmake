# SPDX-License-Identifier: Apache-2.0
# A room is a folder that builds to one static library, tunctl_<room with _ for />. What it links is
# what ARCHITECTURE.md lets it include; tests/tidy holds the two together.
function(tunctl_room room)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  string(REPLACE "/" "_" target "tunctl_${room}")
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${ARG_LINK} PRIVATE tunctl_compiler)
    tunctl_precompiled(${target} tunctl_base ${tunctl_room_headers})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# No definition of any library's may change what these say, for one compilation serves all rooms.
set(tunctl_room_headers <algorithm> <array> <chrono> <functional> <map> <memory> <optional> <span>
                        <string> <string_view> <utility> <variant> <vector>)

# `first` compiles the headers, every later target uses what it has compiled.
function(tunctl_precompiled target first)
  if(NOT TUNCTL_PRECOMPILED_HEADERS)
    return()
  endif()
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# One test program per room: tests/<room>/*_test.cc -> test_<room>. LABEL is unit unless given.
function(tunctl_test room)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;LINK" ${ARGN})
  string(REPLACE "/" "_" name "test_${room}")
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main tunctl_compiler)
  target_compile_definitions(${name} PRIVATE TUNCTL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Tests only have to compile fast. What is fortified has to be optimized.
  if(CMAKE_BUILD_TYPE MATCHES "Rel")
    target_compile_options(${name} PRIVATE -Og)
  else()
    target_compile_options(${name} PRIVATE -O0 -U_FORTIFY_SOURCE)
  endif()
  tunctl_precompiled(${name} test_base ${tunctl_room_headers} <filesystem> <fstream>
                     <gmock/gmock.h> <gtest/gtest.h>)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_LABEL)
    set(ARG_LABEL unit)
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${ARG_TIMEOUT}
                                          SKIP_RETURN_CODE 77)
endfunction()

# A test that is a script: tunctl_script_test(NAME LABEL TIMEOUT SCRIPT [ARGS...]), python3 with
# TUNCTL_BUILD_DIR set. Networks and hosts are each test's own, and those tests wait more than they
# compute, so as many run at once as there are CPUs; one that needs them all says RUN_SERIAL.
function(tunctl_script_test name label timeout script)
  find_program(TUNCTL_PYTHON NAMES python3 REQUIRED)
  add_test(NAME ${name} COMMAND ${TUNCTL_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} SKIP_RETURN_CODE 77
                                          ENVIRONMENT TUNCTL_BUILD_DIR=${PROJECT_BINARY_DIR})
endfunction()
