# SPDX-License-Identifier: Apache-2.0
"""What every script with many cases does: run those asked for, one after the other, tell each with its
time, and fail when one failed or there was none."""

import contextlib
import os
import sys
import tempfile
import time

import netns


def into(cases):
    """A decorator that makes a function a case by its name."""
    def case(function):
        cases.append((function.__name__.replace("_", " "), function))
        return function
    return case


@contextlib.contextmanager
def two_ends(addresses=None):
    """Two namespaces and a folder that everybody may enter."""
    with netns.Pair(*([addresses] if addresses else [])) as pair, \
         tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        yield pair, folder


def run(cases, only=""):
    """`cases`: (title, function without arguments) pairs; what a function returns is told beside its
    ok. Ends the program."""
    done, failed = 0, []
    for title, function in cases:
        if only not in title:
            continue
        start = time.monotonic()
        done += 1
        try:
            came = function()
            verdict = "ok" if came is None else f"ok, {came}"
        except (AssertionError, OSError, RuntimeError) as error:
            verdict = f"FAILED: {error}"
            failed.append(title)
        print(f"{time.monotonic() - start:5.1f} s  {title}: {verdict}", flush=True)
    end(done, failed)


def end(done, failed):
    """`failed`: their titles. Ends the program."""
    print(f"{done - len(failed)} of {done} cases went well")
    for title in failed:
        print(f"failed: {title}")
    sys.exit(1 if failed or not done else 0)
