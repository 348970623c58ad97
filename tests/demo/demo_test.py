#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the demo says where it cannot show everything, and while it measures."""

import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import demo


def every_missing_right_is_named():
    for right in demo.NEEDED:
        lacks = {name: None for name in (*demo.NEEDED, "boot")}
        lacks[right] = "how it was found"
        text = "\n".join(demo.missing_lines(lacks))
        assert f"missing: {right} (how it was found)" in text, text
        assert "--cap-add" in text, text


def a_log_shows_that_it_goes_on():
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        progress = demo.Progress()
        for number in (1, 2):
            for row in (1, 2, 3):
                progress(f"pass {number} of 2: {row} of 3: a row")
        progress.done()
    lines = out.getvalue().splitlines()
    assert [line.split(",")[0].strip() for line in lines] == ["pass 1 of 2", "pass 2 of 2"], lines


every_missing_right_is_named()
a_log_shows_that_it_goes_on()
print("the demo says what is missing and how far it is")
