#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Proves: clang-tidy-16 with the tree's .clang-tidy has nothing to say about any .cc that is built,
# nor has the compiler of clang 16 an error in it.
#   clang_tidy.sh [FILE.cc]...
# shellcheck source-path=SCRIPTDIR source=stage.sh
source "$(dirname "$0")/stage.sh"

need_packages build test nightly
build=$top/build/clang-tidy

step 'configuring' cmake -S "$top" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-16 \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null

all_files() {
  python3 - "$build/compile_commands.json" "$top" <<'PYTHON'
import json, sys
build = sys.argv[2] + "/build/"
files = {entry["file"] for entry in json.load(open(sys.argv[1]))}
print("\n".join(sorted(name for name in files if not name.startswith(build))))
PYTHON
}

if (($#)); then files=("$@"); else mapfile -t files < <(all_files); fi
((${#files[@]})) || fail 'no files'
say "${#files[@]} files"
step 'there are findings, see above' \
  xargs -0 -P "$jobs" -n 1 clang-tidy-16 -p "$build" --quiet < <(printf '%s\0' "${files[@]}") \
  2> >(grep -vE '^[0-9]+ warnings? generated\.$|^Suppressed |^Use -header-filter' >&2)
say 'passed'
