#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: a data thread with helpers is stopped 1,000 times and renegotiates 1,000 times under full
# load, and loses, repeats and reorders nothing; nor does it against stock OpenVPN, 250 MB both ways
# at once.
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

need_root 'interop tests make network namespaces'
need_packages build test
cd "$top"
step 'configuring' cmake --preset dev >/dev/null
step 'build' cmake --build build/dev -j "$jobs" --target tunctl-fastpath test_fastpath_engine_threads
begin=$SECONDS
export TUNCTL_NIGHTLY=1
step 'in memory' build/dev/tests/fastpath/test_fastpath_engine_threads --gtest_brief=1
step 'against stock' python3 tests/interop/threads.py
say "passed in $((SECONDS - begin)) s"
