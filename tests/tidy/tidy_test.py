#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the tree to its own laws: who may include whom, what pure rooms may touch, sizes, heads.

Every complaint is one line "file:line: what is wrong". Each check is a function from the tree to
complaints; selftest.py shows that each can fail."""

import collections
import os
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TREE / "tests" / "support"), str(TREE / "tests" / "tools")]

import cpp_text  # noqa: E402
import include_law as law  # noqa: E402
import run_tests  # noqa: E402
import skip  # noqa: E402
from std_headers import HEADER_OF  # noqa: E402

BYTES_MAX = 1_000_000
FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 500
LONG_REASON = "// long: "
_NOT_OURS = {".git", "build", "__pycache__", ".cache"}
_HEADED = {".cc", ".h", ".py", ".sh", ".cmake", ".service", ".target", ".rules", ".1", ".5", ".7", ".8"}
_STD_NAME = re.compile(r"\bstd::(?:ranges::)?(\w+)")
_MACHINE_PATH = re.compile(r"(?<![\w.}*$])/(home|root|work)/")


class File:
    """A text file of the tree: `name` relative to its top."""

    def __init__(self, name, text):
        self.name = name
        self.text = text

    @property
    def folder(self):
        return os.path.dirname(self.name)

    @property
    def is_cpp(self):
        return self.name.endswith((".cc", ".h"))

    @property
    def is_script(self):
        return self.text.startswith("#!")


def read_tree(top):
    files = []
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in _NOT_OURS]
        for name in set(names) - _NOT_OURS:
            path = pathlib.Path(folder, name)
            if path.is_symlink():
                continue
            data = path.read_bytes()
            text = data.decode("utf-8", "replace") if b"\0" not in data[:4096] else ""
            files.append(File(str(path.relative_to(top)), text))
    return files


def room_of(name):
    """The room a path lies in; None for programs' main files, tests and what is no room."""
    parts = name.split("/")
    for length in (2, 1):
        if "/".join(parts[:length]) in law.ROOMS and len(parts) > length:
            return "/".join(parts[:length])
    return None


def check_includes(files):
    for file in files:
        room = room_of(file.name)
        if room is None or not file.is_cpp:
            continue
        for line, included in cpp_text.includes(file.text):
            why = why_not(room, file, included)
            if why:
                yield f"{file.name}:{line}: {room} may not include {included}: {why}"


def why_not(room, file, included):
    rules = law.ROOMS[room]
    target = room_of(included)
    library = law.LIBRARIES.get(included.split("/")[0])
    if target is not None:
        through_interface = (law.HOST_INTERFACES in rules.ours
                             and included in law.HOST_INTERFACE_HEADERS)
        if target != room and target not in rules.ours and not through_interface:
            return f"the law lets it include {', '.join(rules.ours) or 'nothing of ours'}"
    elif included.startswith(("fastpath/", "supervisor/", "tests/")):
        same_program = included.split("/")[0] == room.split("/")[0]
        if not (same_program and included.count("/") == 1):  # fastpath/limits.h
            return "it belongs to no room"
    if library is not None and library not in law.ANYWHERE:
        if library not in rules.outside:
            return f"{library} belongs to another room"
        if file.name.endswith(".h") and library in law.NOT_IN_HEADERS:
            return f"{library} stays out of headers"
    if is_pure(rules, file) and is_impure_include(included):
        return "the room is pure"
    return None


def is_pure(rules, file):
    return rules.pure and os.path.basename(file.name) not in rules.impure


def is_impure_include(included):
    return included not in law.HARMLESS_INCLUDES and (
        included in law.IMPURE_INCLUDES or included.split("/")[0] in law.IMPURE_INCLUDE_FOLDERS)


def check_pure_names(files):
    banned = re.compile("|".join(law.IMPURE_TOKENS))
    for file in files:
        room = room_of(file.name)
        if room is None or not file.is_cpp or not is_pure(law.ROOMS[room], file):
            continue
        code = cpp_text.without_comments_and_strings(file.text)
        for found in banned.finditer(code):
            yield (f"{file.name}:{cpp_text.line_of(code, found.start())}: {room} is pure: "
                   f"'{found[0].strip()}' reaches outside")


def check_one_file_libraries(files):
    users = collections.defaultdict(list)
    for file in files:
        if file.is_cpp and not file.name.startswith("tests/"):
            for _, included in cpp_text.includes(file.text):
                library = law.LIBRARIES.get(included.split("/")[0])
                if library in law.ONE_FILE and file.name not in users[library]:
                    users[library].append(file.name)
    for library, names in users.items():
        if len(names) > 1:
            yield f"{names[1]}:1: {library} is used in one .cc only, and {names[0]} has it"


def check_rooted_includes(files):
    for file in files:
        if file.is_cpp:
            for number, line in enumerate(file.text.splitlines(), 1):
                found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if found and "/" not in found[1]:
                    yield f"{file.name}:{number}: write the include from the top of the tree"


def check_std_includes(files):
    """Who names std::X includes its header, or something of ours that does. Builds with the common
    headers compiled beforehand do not notice; the release build, which goes without, would fail."""
    by_name = {file.name: file for file in files if file.is_cpp}
    known = {}
    for file in by_name.values():
        code = cpp_text.without_comments_and_strings(file.text)
        missing = {}
        for found in _STD_NAME.finditer(code):
            header = HEADER_OF.get(found[1])
            if header and header not in everything_included(file.name, by_name, known):
                missing.setdefault(header, found)
        for header, found in missing.items():
            yield f"{file.name}:{cpp_text.line_of(code, found.start())}: {found[0]} wants <{header}>"


def everything_included(name, by_name, known):
    """What a file includes, and what our headers among it do. `known` keeps what was found before."""
    if name not in known:
        known[name] = set()  # a circle ends here
        for _, included in cpp_text.includes(by_name[name].text):
            known[name].add(included)
            if included in by_name:
                known[name] |= everything_included(included, by_name, known)
    return known[name]


def check_heads(files):
    for file in files:
        headed = (os.path.splitext(file.name)[1] in _HEADED or file.is_script
                  or os.path.basename(file.name) == "CMakeLists.txt")
        if headed and "SPDX-License-Identifier: Apache-2.0" not in "".join(
                file.text.splitlines(keepends=True)[:3]):
            yield f"{file.name}:1: has no SPDX-License-Identifier in its first lines"


def check_function_lengths(files):
    for file in files:
        if not file.name.endswith((".cc", ".h")):
            continue
        lines = file.text.splitlines()
        for first, last in cpp_text.functions(file.text):
            length = last - first + 1
            reason = any(LONG_REASON in line for line in lines[max(0, first - 6):first + 1])
            if length > FUNCTION_LINES_MAX and not reason:
                yield (f"{file.name}:{first}: a function of {length} lines; split it, or write "
                       f"'{LONG_REASON}REASON' above it")


def check_file_sizes(files):
    for file in files:
        if len(file.text.encode()) > BYTES_MAX:
            yield f"{file.name}:1: over {BYTES_MAX} bytes"
        lines = file.text.count("\n")
        if file.is_cpp and lines > FILE_LINES_MAX and LONG_REASON not in file.text[:2000]:
            yield f"{file.name}:1: {lines} lines; two rooms, or '{LONG_REASON}REASON' at its top"


def check_machine_paths(files):
    for file in files:
        if file.name.startswith("tests/tidy/"):  # which must name them
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            found = _MACHINE_PATH.search(line)
            if found:
                yield f"{file.name}:{number}: {found[0]} is a path of somebody's machine"


def check_architecture(files):
    """ARCHITECTURE.md's table of rooms says what include_law.py says."""
    text = next((file.text for file in files if file.name == "ARCHITECTURE.md"), "")
    rows = dict(table_rows(text))
    for room, rules in law.ROOMS.items():
        wanted = (set(rules.ours) | set(rules.outside), rules.pure)
        if room not in rows:
            yield f"ARCHITECTURE.md:1: the table of rooms lacks {room}"
        elif rows[room] != wanted:
            yield (f"ARCHITECTURE.md:1: {room}: the table says {sorted(rows[room][0])}, "
                   f"pure {rows[room][1]}; include_law.py {sorted(wanted[0])}, pure {wanted[1]}")
    for room in rows.keys() - law.ROOMS.keys():
        yield f"ARCHITECTURE.md:1: {room} is in the table but not in include_law.py"


def table_rows(text):
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 4:
            names = {name.strip() for name in f"{cells[1]}, {cells[2]}".split(",")} - {"", "—"}
            yield cells[0].strip("`"), (names, cells[3].startswith("pure"))


def is_known_skip(reason):
    right = re.match(r"needs (\S+): ", reason)
    if right:
        return right[1] in skip.RIGHTS or right[1].startswith("program:")
    return any(pattern.search(reason) for pattern, _ in run_tests.ALLOWED_SKIPS)


def check_skips(files):
    """A test's reason to be skipped is one that run_tests.py can ask the machine about."""
    for file in files:
        # skip.py itself makes the line of a reason that it knows, and run_tests.py reads it.
        if not re.fullmatch(r"tests/(?!tidy/|support/skip|tools/run_tests).*\.(cc|h|py)", file.name):
            continue
        for number, line in enumerate(file.text.splitlines(), 1):
            for reason in re.findall(r'"SKIPPED: ([^"]*)', line):
                if not is_known_skip(reason):
                    yield f"{file.name}:{number}: skipped for no reason that skip.py knows: {reason}"


CHECKS = (check_skips, check_includes, check_pure_names, check_one_file_libraries, check_rooted_includes,
          check_std_includes, check_heads, check_function_lengths, check_file_sizes, check_machine_paths,
          check_architecture)


def main():
    files = read_tree(TREE)
    complaints = [complaint for check in CHECKS for complaint in check(files)]
    print("\n".join(complaints))
    print(f"{len(files)} files, {len(complaints)} complaints")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
