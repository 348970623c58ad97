#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README, ARCHITECTURE and CONTRIBUTING name files, functions and links that exist.

A path in backticks that begins with one of the tree's folders must be there (with `*`, match
something). In a table row whose first cell is a file, every name in backticks of the second cell must
be in that file."""

import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
FOLDERS = ("base/", "ovpn/", "fastpath/", "supervisor/", "units/", "etc/", "man/", "tests/", "cmake/")


def exists(path):
    if "NAME" in path:
        return True
    return any(TREE.glob(path)) if "*" in path else (TREE / path).exists()


def missing_paths(text):
    for found in re.finditer(r"`([^`\s]+)`", text):
        path = found[1].removeprefix("./")
        if path.startswith(FOLDERS) and not exists(path):
            yield text.count("\n", 0, found.start()) + 1, f"{path} is not there"


def missing_links(text):
    for found in re.finditer(r"\]\(([^)#:]+)\)", text):
        if not (TREE / found[1]).exists():
            yield text.count("\n", 0, found.start()) + 1, f"link to {found[1]}, which is not there"


def missing_names(text):
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        file = cells[0].strip("`")
        if not line.startswith("| `") or not file.startswith(FOLDERS) or "." not in file:
            continue
        path = TREE / file
        if len(cells) < 2 or not path.is_file():
            continue
        source = path.read_text()
        for name in re.findall(r"`([\w:~]+)(?:\(\))?`", cells[1]):
            if name not in source and name.split("::")[-1] + "(" not in source:
                yield number, f"{file} has no {name}"


def main():
    failures = []
    for name in DOCUMENTS:
        text = (TREE / name).read_text()
        for check in (missing_paths, missing_links, missing_names):
            failures += [f"{name}:{number}: {what}" for number, what in check(text)]
    print("\n".join(failures) or "all that the documents name is there")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
