# SPDX-License-Identifier: Apache-2.0
"""Which tunnels the matrix builds: a small set in which every pair of values of any two axes
meets, and what a cell's two configs look like."""

import itertools
import random

AXES = {
    "cipher": ("AES-128-CBC", "AES-192-CBC", "AES-256-CBC", None, "none"),  # None: BF-CBC
    "auth": ("SHA1", "SHA256", "SHA512", "none"),
    "direction": (None, 0, 1),          # of the native end; stock has the other
    "framing": (None, "comp-lzo no", "compress stub", "compress stub-v2"),
    "replay": (True, False),
    "native": ("listens", "connects"),
    "version": ("2.5", "2.6", "2.7"),
    "family": (4, 6),
}
CELLS_MAX = 60


def possible(cell):
    """2.7 has no `no-replay` any more."""
    return not (cell["version"] == "2.7" and cell["replay"] is False)


def pairs_of(cell):
    return {((x, cell[x]), (y, cell[y])) for x, y in itertools.combinations(AXES, 2)}


def wanted_pairs():
    for x, y in itertools.combinations(AXES, 2):
        for pair in itertools.product(AXES[x], AXES[y]):
            if possible({"version": None, "replay": None, **dict(zip((x, y), pair))}):
                yield (x, pair[0]), (y, pair[1])


def covering_cells(seed=1):
    """Greedy: of a few dozen random cells around a pair still missing, take the one that covers
    most. The seed makes every run the same."""
    dice = random.Random(seed)
    missing = set(wanted_pairs())
    cells = []
    while missing:
        anchor = dict(dice.choice(sorted(missing, key=repr)))
        tries = ({axis: anchor.get(axis, dice.choice(values)) for axis, values in AXES.items()}
                 for _ in range(60))
        best = max(filter(possible, tries), key=lambda cell: len(pairs_of(cell) & missing))
        missing -= pairs_of(best)
        cells.append(best)
    assert len(cells) <= CELLS_MAX
    return cells


def title(cell):
    replay = "" if cell["replay"] else " no-replay"
    direction = "" if cell["direction"] is None else f" direction {cell['direction']}"
    fragment = f" fragment {cell['fragment']}" if cell.get("fragment") else ""
    return (f"{cell['version']} {cell['native']} udp{cell['family']} {cell['cipher'] or 'BF-CBC'} "
            f"{cell['auth']}{direction} {cell['framing'] or 'unframed'}{replay}{fragment}")


def config(cell, native, remote):
    """The text of one end's config; `remote` is the address to call, None for the end that
    listens."""
    mine, theirs = ("10.8.0.1", "10.8.0.2") if native else ("10.8.0.2", "10.8.0.1")
    direction = cell["direction"]
    if direction is not None and not native:
        direction = 1 - direction
    lines = ["dev tun3", f"proto udp{'6' if cell['family'] == 6 else ''}", "port 2011",
             f"ifconfig {mine} {theirs}",
             "secret static.key" + ("" if direction is None else f" {direction}"),
             f"auth {cell['auth']}"]
    if cell["cipher"]:
        lines.append(f"cipher {cell['cipher']}")
    if cell["framing"]:
        lines.append(cell["framing"])
    if not cell["replay"]:
        lines.append("no-replay")
    if cell.get("fragment"):
        lines += [f"fragment {cell['fragment']}", "mssfix"]
    if remote:
        lines.append(f"remote {remote}")
    return "".join(f"{line}\n" for line in lines)
