#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: the native engine in TLS mode carries 20 MB byte for byte both ways, and keeps every ping
# and stream over three renegotiations, in every cell of the whole product that tests/interop/
# tls_cells.py describes, against stock OpenVPN 2.5, 2.6 and 2.7. The usual tests run some of these.
#   tls.sh [TEXT]      only cells whose title has TEXT
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

need_root 'interop tests make network namespaces'
need_packages build test
cd "$top"
step 'configuring' cmake --preset dev >/dev/null
step 'build' cmake --build build/dev -j "$jobs" --target tunctl-fastpath
begin=$SECONDS
step 'a cell' python3 tests/interop/tls_walk.py --all --long --jobs "$((2 * jobs))" --only "${1:-}"
say "passed in $((SECONDS - begin)) s"
