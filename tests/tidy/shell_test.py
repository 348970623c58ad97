#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every shell script of the tree is clean under shellcheck."""

import pathlib
import subprocess
import sys

import tidy_test as tidy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import skip  # noqa: E402


def main():
    skip.need("program:shellcheck")
    scripts = [file.name for file in tidy.read_tree(tidy.TREE)
               if file.text.startswith(("#!/usr/bin/env bash", "#!/bin/bash", "#!/bin/sh"))]
    print("\n".join(scripts))
    # What a script sources is read as well, from beside it.
    command = ["shellcheck", "--external-sources", "--source-path=SCRIPTDIR", *scripts]
    sys.exit(subprocess.call(command, cwd=tidy.TREE) if scripts else 1)


if __name__ == "__main__":
    main()
