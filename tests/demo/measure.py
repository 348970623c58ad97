# SPDX-License-Identifier: Apache-2.0
"""How fast a tunnel is, here and now, beside the bare wire and beside stock OpenVPN.

    [near] ==== veth ==== [far]        down: far -> near, up: near -> far, both: the sum of the two

One pass measures every row once, briefly; passes follow each other, so that a machine that gets
busy half-way slows all rows and not one. Only ratios within one run mean anything.
"""

import contextlib
import dataclasses
import os
import statistics
import tempfile

import iperf
import keys
import netns
import traffic
from native_peer import NativePeer
from openvpn_peer import StockPeer

PASSES = 3
SECONDS = 1  # iperf3 takes whole ones
CRYPTO = (  # (what the table says, what both configs say)
    ("cipher none / auth none", "cipher none\nauth none\n"),
    ("default (BF-CBC / SHA1)", ""),
    ("AES-256-CBC / SHA512", "cipher AES-256-CBC\nauth SHA512\n"),
)
ENDS = (("native", "stock"), ("stock", "stock"), ("native", "native"))
DIRECT = "direct"


@dataclasses.dataclass
class Row:
    crypto: str      # DIRECT, or a title of CRYPTO
    ends: tuple
    text: str = ""
    down: list = dataclasses.field(default_factory=list)  # bits per second, one a pass
    up: list = dataclasses.field(default_factory=list)
    both: list = dataclasses.field(default_factory=list)
    ping: list = dataclasses.field(default_factory=list)  # seconds

    @property
    def title(self):
        return f"{self.crypto}, {'-'.join(self.ends)}" if self.ends else self.crypto

    def rate(self, kind):
        return statistics.median(getattr(self, kind))


def rows(ends=ENDS):
    return [Row(DIRECT, ())] + [Row(title, pair, text) for title, text in CRYPTO for pair in ends]


def measure(table, progress, passes=PASSES, seconds=SECONDS):
    """Fills the rows. `progress` is called with one line before each measurement."""
    for number in range(passes):
        for index, row in enumerate(table):
            progress(f"pass {number + 1} of {passes}: {index + 1} of {len(table)}: {row.title}")
            with netns.Pair() as pair, contextlib.ExitStack() as stack:
                target = pair.addresses4[1]
                if row.ends:
                    target = "10.8.0.2"
                    raise_tunnel(stack, pair, row)
                measure_row(row, pair, target, seconds)


def raise_tunnel(stack, pair, row):
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tct-"))
    os.chmod(folder, 0o755)
    keys.write_static_key(f"{folder}/static.key")
    common = f"dev tun3\nport 2011\nproto udp\nsecret static.key\n{row.text}"
    texts = (f"{common}ifconfig 10.8.0.1 10.8.0.2\nremote {pair.addresses4[1]}\n",
             f"{common}ifconfig 10.8.0.2 10.8.0.1\nremote {pair.addresses4[0]}\n")
    for engine, space, text, name in zip(row.ends, pair, texts, ("near", "far")):
        peer = (NativePeer(space, folder, text, name) if engine == "native"
                else StockPeer("2.6", space, folder, text, name))
        stack.enter_context(peer).wait_started()
    traffic.wait_for_ping(pair.a, "10.8.0.2")


def measure_row(row, pair, target, seconds):
    with iperf.server(pair.b, target):
        row.ping.append(traffic.ping_median(pair.a, target, 201))
        row.up.append(iperf.run(pair.a, target, seconds)[0])
        row.down.append(iperf.run(pair.a, target, seconds, "--reverse")[0])
        row.both.append(sum(iperf.run(pair.a, target, seconds, "--bidir")))


def text_table(table):
    """The table as lines, Mbit/s and microseconds."""
    lines = [f"{'':38}{'down':>9}{'up':>9}{'both':>9}  Mbit/s {'ping':>7} us"]
    last = None
    for row in table:
        if row.crypto != last and row.ends:
            lines.append(f"  {row.crypto}")
        last = row.crypto
        name = f"    {' - '.join(row.ends)}" if row.ends else f"  {row.crypto}"
        rates = "".join(f"{row.rate(kind) / 1e6:9.0f}" for kind in ("down", "up", "both"))
        lines.append(f"{name:38}{rates}         {statistics.median(row.ping) * 1e6:7.0f}")
    return lines


def derived_lines(table):
    """What the trip through user space costs, and what the encryption costs."""

    def mean_rate(crypto, ends):
        row = next(row for row in table if row.crypto == crypto and row.ends == ends)
        return (row.rate("down") + row.rate("up")) / 2

    kinds = [ends for ends in (("native", "native"), ("stock", "stock"))
             if any(row.ends == ends for row in table)]
    direct = mean_rate(DIRECT, ())
    clear, strong = CRYPTO[0][0], CRYPTO[-1][0]
    trips, ciphers = [], []
    for ends in kinds:
        name = " - ".join(ends)
        trips.append(f"{name} {direct / mean_rate(clear, ends):.1f} x slower than direct")
        share = 100 * (1 - mean_rate(strong, ends) / mean_rate(clear, ends))
        ciphers.append(f"{name} {share:.0f} % of the rate")
    return [f"the trip through user space costs: {'; '.join(trips)}",
            f"the encryption costs ({strong} against none): {'; '.join(ciphers)}"]


def slower_than_stock(table):
    """Titles and columns where a tunnel with a native end is slower than stock - stock."""
    worse = []
    for row in table:
        stock = next((other for other in table if other.crypto == row.crypto
                      and other.ends == ("stock", "stock")), None)
        if stock and "native" in row.ends:
            worse += [f"{row.title}: {kind} {row.rate(kind) / stock.rate(kind):.2f} x"
                      for kind in ("down", "up", "both") if row.rate(kind) < stock.rate(kind)]
    return worse
