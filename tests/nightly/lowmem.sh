#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A board with 256 MB: unit and sim tests, and the `dev null` tunnels against stock, with every
# process held to 256 MB of address space. Address space is an upper bound of memory, so what passes
# fits; it is counted per process, so it does not prove that everything fits at the same time. Where
# systemd runs, a scope with MemoryMax=256M holds them all together instead, and proves that too.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
limit_kb=$((256 * 1024))
tests=(ctest --test-dir "$top/build/dev" -L '^(unit|sim|interop)$' -E '^(interop_matrix|interop_stock)$'
       --output-on-failure -j 1)
if [[ -d /run/systemd/system && $(id -u) == 0 ]]; then
  echo '-- all together in 256 MB (systemd scope)'
  exec systemd-run --scope --quiet --property=MemoryMax=256M --property=MemorySwapMax=0 "${tests[@]}"
fi
echo '-- each process in 256 MB of address space'
ulimit -v "$limit_kb"
"${tests[@]}"
