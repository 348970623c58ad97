#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the built programs print as help names the options of their pages, and the reverse."""

import os
import pathlib
import re
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", TREE / "build/dev"))


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout


def section(page, title):
    text = (TREE / "man" / page).read_text()
    return re.search(rf"^\.Sh {re.escape(title)}\n(.*?)(?=^\.Sh |\Z)", text, re.M | re.S)[1]


def options_on_page(text):
    """"--long" of every .It that heads an option."""
    return {"--" + name for name in re.findall(r"^\.It Fl (?:\w , )?-([\w-]+)", text, re.M)}


def check_fastpath(failures):
    program = BUILD / "fastpath/tunctl-fastpath"
    status, text = output_of(program, "--help")
    own = text.partition("Its own options:")[2].partition("\n\n")[0]
    helped = set(re.findall(r"--[a-z-]+", own))
    written = options_on_page(section("tunctl-fastpath.8", "OPTIONS"))
    if status != 0 or helped != written:
        failures.append(f"tunctl-fastpath --help ({status}) has {sorted(helped)}, "
                        f"its page {sorted(written)}")
    status, text = output_of(program, "--version")
    if status != 0 or not re.match(r"tunctl-fastpath \d+\.\d+\.\d+\b", text):
        failures.append(f"tunctl-fastpath --version ({status}): {text!r}")


def check_helper(failures):
    program = BUILD / "fastpath/tunctl-helper"
    status, text = output_of(program, "--help")
    helped = set(re.findall(r"--[a-z-]+", text))
    written = options_on_page(section("tunctl-helper.8", "OPTIONS"))
    if status != 0 or helped != written:
        failures.append(f"tunctl-helper --help ({status}) has {sorted(helped)}, "
                        f"its page {sorted(written)}")
    status, text = output_of(program, "--version")
    if status != 0 or not re.match(r"tunctl-helper \d+\.\d+\.\d+\b", text):
        failures.append(f"tunctl-helper --version ({status}): {text!r}")


def verbs_on_page():
    """Verb -> its options, of tunctl(8); not those that only units call."""
    text = section("tunctl.8", "VERBS").partition(".Ss Verbs for the units")[0]
    parts = re.split(r"^\.It Ic ((?:[a-z-]+ ?)+)", text, flags=re.M)[1:]
    return {name.strip(): options_on_page(rest) for name, rest in zip(parts[::2], parts[1::2])}


def check_tunctl(failures):
    program = BUILD / "supervisor/tunctl"
    status, text = output_of(program, "--help")
    listed = set(re.findall(r"^  ([a-z]\S*)", text.partition("Subcommands:")[2], re.M))
    pages = verbs_on_page()
    words = {verb.split()[0] for verb in pages}
    if status != 0 or not listed or not listed <= words:
        failures.append(f"tunctl --help ({status}) lists {sorted(listed)}, the page {sorted(words)}")
    for verb, options in pages.items():
        if verb.split()[0] not in listed:
            continue
        status, text = output_of(program, *verb.split(), "--help")
        helped = set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.M)) - {"--help"}
        if status != 0 or helped != options:
            failures.append(f"tunctl {verb} --help ({status}) has {sorted(helped)}, "
                            f"the page {sorted(options)}")


def main():
    failures = []
    check_fastpath(failures)
    check_helper(failures)
    check_tunctl(failures)
    print("\n".join(failures) or "help and pages agree")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
