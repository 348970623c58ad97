#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy with the checks of .clang-tidy over every source of the programs.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$top/bootstrap" build dev
cmake -S "$top" -B "$top/build/dev" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
cd "$top"
find base ovpn fastpath supervisor -name '*.cc' -print0 |
  xargs -0 -n 4 -P "${TUNCTL_JOBS:-$(nproc)}" clang-tidy-16 -p build/dev --quiet
