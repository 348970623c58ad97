#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shell script of the tree is clean under shellcheck, and reads its pipes to their ends."""

import pathlib
import re
import subprocess
import sys

import tidy_test as tidy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import skip  # noqa: E402


# Who stops reading early ends the writer by SIGPIPE, sometimes, and under pipefail that is a failure.
READS_IN_PART = re.compile(r"\|\s*(grep\s+(-\w+\s+)*(-\w*q|--quiet|-m)|head\b)")


def broken_pipes(scripts):
    return [f"{file.name}:{number}: read the whole pipe (grep >/dev/null, sed -n 1p): {line.strip()}"
            for file in scripts
            for number, line in enumerate(file.text.splitlines(), 1) if READS_IN_PART.search(line)]


def main():
    assert READS_IN_PART.search("a | grep -Eq b") and READS_IN_PART.search("a | head -n 1")
    assert not READS_IN_PART.search("a | grep b >/dev/null") and not READS_IN_PART.search("grep -q b f")
    found = [file for file in tidy.read_tree(tidy.TREE)
             if file.text.startswith(("#!/usr/bin/env bash", "#!/bin/bash", "#!/bin/sh"))]
    scripts = [file.name for file in found]
    if broken := broken_pipes(found):
        sys.exit("\n".join(broken))
    skip.need("program:shellcheck")
    print("\n".join(scripts))
    # What a script sources is read as well, from beside it.
    command = ["shellcheck", "--external-sources", "--source-path=SCRIPTDIR", *scripts]
    sys.exit(subprocess.call(command, cwd=tidy.TREE) if scripts else 1)


if __name__ == "__main__":
    main()
