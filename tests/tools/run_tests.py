#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a build by stages, cheap ones first, and tells what was not tested.

    run_tests.py BUILD [--nightly]

A stage that fails keeps the dearer ones behind it from running. A test may be skipped only for a
right that this machine lacks (tests/support/skip.py is asked again), or for a reason of the short
list below; any other skip fails the run. TUNCTL_AS_ROOT (sudo, doas) runs the stages that need
root where this is run by somebody else.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import skip  # noqa: E402

# The labels of a stage run together.
STAGES = (("tidy",), ("unit",), ("sim",), ("interop", "system"))
NEED_ROOT = ("interop", "system")
ALLOWED_SKIPS = (
    (re.compile(r"\bTUNCTL_CORPUS\b"), "the corpus of other people's configs is not part of the tree"),
)


class Tally:
    def __init__(self):
        self.run = 0
        self.failed = []
        self.skipped = []  # (test, reason)
        self.not_reached = []
        self.seconds = {}


def skip_reasons(case):
    """Why a test, or parts of it, did not run; empty when all of it ran."""
    output = case.findtext("system-out") or ""
    reasons = [reason.strip() for reason in re.findall(r"SKIPPED: (.*)", output)]
    if reasons:
        return sorted(set(reasons))
    inner = re.search(r"\[  SKIPPED \] \S+|\(skipped=\d+\)", output)
    if inner or case.get("status") == "notrun" or case.find("skipped") is not None:
        return ["gives no reason"]
    return []


def excuse(reason):
    """Why a skip is in order; None when the test could have run."""
    found = re.match(r"needs (\S+):", reason)
    if found:
        try:
            return skip.missing(found[1])
        except KeyError:
            return None
    return next((why for pattern, why in ALLOWED_SKIPS if pattern.search(reason)), None)


def run_stage(build, labels, tally):
    name = " ".join(labels)
    results = build / f"results-{'-'.join(labels)}.xml"
    results.unlink(missing_ok=True)
    start = time.monotonic()
    status = subprocess.call([
        *as_root(labels), "ctest", "--test-dir", str(build), "-L", f"^({'|'.join(labels)})$",
        "-j", os.environ.get("TUNCTL_JOBS", "1"), "--no-tests=ignore", "--output-on-failure",
        "--test-output-size-passed", "1000000", "--output-junit", str(results.resolve())])
    tally.seconds[name] = time.monotonic() - start
    give_back(labels, build, results)
    cases = list(ET.parse(results).getroot().iter("testcase")) if results.exists() else []
    for case in cases:
        if case.get("status") == "fail":
            tally.failed.append(case.get("name"))
        else:
            tally.skipped += [(case.get("name"), reason) for reason in skip_reasons(case)]
    tally.run += len(cases)
    tally.failed += [f"the stage {label}: no test in it" for label in labels if not tests_of(build, label)]
    if not cases:
        tally.failed.append(f"the stage {name}: no test ran")
    return status == 0


def tests_of(build, label):
    listed = subprocess.run(["ctest", "--test-dir", str(build), "-L", f"^{label}$", "--show-only=json-v1"],
                            stdout=subprocess.PIPE, check=True)
    return json.loads(listed.stdout)["tests"]


def as_root(labels):
    """The words in front of a stage that needs root, where we are not root but may become it."""
    tool = os.environ.get("TUNCTL_AS_ROOT")
    if not tool or not set(labels) & set(NEED_ROOT):
        return []
    kept = [f"{name}={os.environ[name]}" for name in ("TUNCTL_CORPUS", "XDG_CACHE_HOME")
            if name in os.environ]
    return [tool, "env", *kept]


def give_back(labels, build, results):
    """What ctest wrote as root belongs to whoever builds."""
    words = as_root(labels)
    if words:
        subprocess.call([*words, "chown", "-R", str(os.geteuid()), str(build / "Testing"),
                         str(results)])


def run_nightly(tally):
    start = time.monotonic()
    status = subprocess.call(["bash", str(HERE.parent / "nightly" / "all.sh")])
    tally.seconds["nightly stages"] = time.monotonic() - start
    tally.run += 1
    if status == skip.EXIT_SKIPPED:
        tally.skipped.append(("nightly stages", "needs root: see their table"))
    elif status != 0:
        tally.failed.append("nightly stages: see their table")


def report(tally):
    """Prints the summary; True when the run is good."""
    print("\n== summary")
    for stage, seconds in tally.seconds.items():
        print(f"   {stage:14} {seconds:6.1f} s")
    bad_skips = []
    for name, reason in tally.skipped:
        why = excuse(reason)
        print(f"   skipped: {name}: {reason}" + ("" if why else "   <- this could have run here"))
        if not why:
            bad_skips.append(name)
    for name in tally.not_reached:
        print(f"   not reached: {name}")
    for name in tally.failed:
        print(f"   failed: {name}")
    failed = len(tally.failed) + len(bad_skips)
    good = failed == 0 and not tally.not_reached
    share = 100 * (tally.run - failed) // tally.run if tally.run else 0
    print(f"\n{share}% tests passed, {failed} tests failed out of {tally.run}", flush=True)
    return good and tally.run > 0


def main():
    build = pathlib.Path(sys.argv[1])
    nightly = "--nightly" in sys.argv[2:]
    tally = Tally()
    for index, labels in enumerate(STAGES):
        print(f"\n== {' '.join(labels)}", flush=True)
        if not run_stage(build, labels, tally) and set(labels) & {"unit", "sim"}:
            tally.not_reached = [label for later in STAGES[index + 1:] for label in later]
            break
    if nightly and not tally.not_reached:
        run_nightly(tally)
    sys.exit(0 if report(tally) else 1)


if __name__ == "__main__":
    main()
