#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""TROUBLESHOOTING in tunctl(7) quotes messages as the programs print them, and has an entry for each
cause and warning that `tunctl status` can show.

A heading ".It Li TEXT" is such a quote; "..." in it stands for what differs."""

import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("base", "ovpn", "fastpath", "supervisor")
# Texts of status that are no trouble: nothing to look up.
PLAIN = {"stopped", "stopping", "starting: ", "no reason given", "no reason known", "exit status {}"}
LITERAL = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def joined(source):
    """Neighbouring literals of C++ as one, so that a message can be found across lines."""
    return re.sub(r'"\s*\n\s*"', "", source)


def headings():
    page = (TREE / "man/tunctl.7").read_text()
    section = re.search(r"^\.Sh TROUBLESHOOTING\n(.*?)^\.Sh ", page, re.M | re.S)[1]
    return re.findall(r"^\.It Li (.*)$", section, re.M)


def pieces(text, gap):
    """What is fixed in a text, longest first."""
    return sorted((part.strip() for part in text.split(gap)), key=len, reverse=True)


def not_in_the_programs():
    sources = "\n".join(joined(path.read_text()) for part in PARTS
                        for path in (TREE / part).rglob("*.cc"))
    sources += "\n".join(path.read_text() for room in ("supervisor/host", "ovpn")
                         for path in (TREE / room).glob("*.h"))
    for heading in headings():
        if re.match(r"[\w-]+\.toml:", heading):
            continue
        for piece in pieces(heading, "..."):
            # What one program says is sometimes put together from two texts at a colon.
            if piece not in sources and not all(half in sources for half in piece.split(": ")):
                yield f"man/tunctl.7: no program says '{piece}' ({heading})"


def not_in_the_page():
    texts = " ".join(headings())
    source = joined((TREE / "supervisor/watch/site_status.cc").read_text())
    body = source[source.index("class Judge"):]
    body = body[:body.index("std::string_view to_string")] + body[body.index("failure_words("):]
    for literal in LITERAL.findall(body):
        piece = pieces(literal.split(";")[0], "{}")[0]
        if " " not in piece or "`" in literal or literal in PLAIN:  # a command is no message
            continue
        if piece.strip(" :(") not in texts:
            yield f"man/tunctl.7: TROUBLESHOOTING has no entry for '{literal}'"


def main():
    failures = [*not_in_the_programs(), *not_in_the_page()]
    print("\n".join(failures) or f"{len(headings())} messages are explained")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
