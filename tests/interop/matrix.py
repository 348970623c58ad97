#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine against stock OpenVPN of three generations, over every pair of settings.

    matrix.py [--only TEXT] [--stock]     cells whose title has TEXT; stock 2.6 in our engine's place

Each cell: pings of 0 to 8000 bytes both ways, 5 MB byte for byte both ways; and once per version 50
MB. The native end runs where no openvpn program can be found.
"""

import argparse
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import cells  # noqa: E402
import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import ENGINE, NativePeer  # noqa: E402
from openvpn_peer import StockPeer, VERSIONS  # noqa: E402

SMALL, BIG = 5_000_000, 50_000_000


def start_native(namespace, folder, text, use_stock):
    if use_stock:
        return StockPeer("2.6", namespace, folder, text, "native")
    return NativePeer(namespace, folder, text)


def run_cell(cell, size, use_stock):
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        keys.write_static_key(f"{folder}/static.key")
        addresses = pair.addresses6 if cell["family"] == 6 else pair.addresses4
        native_listens = cell["native"] == "listens"
        native = start_native(pair.a, folder, cells.config(
            cell, True, None if native_listens else addresses[1]), use_stock)
        with native:
            stock_text = cells.config(cell, False, addresses[0] if native_listens else None)
            with StockPeer(cell["version"], pair.b, folder, stock_text) as stock:
                try:
                    carry(pair, native, stock, native_listens, size)
                except traffic.TrafficError as error:
                    raise traffic.TrafficError(f"{error}\n--- native:\n{native.log()[-3000:]}"
                                               f"--- stock:\n{stock.log()[-3000:]}---") from None


def carry(pair, native, stock, native_listens, size):
    native.wait_started()
    stock.wait_started()
    if native_listens:
        traffic.wait_for_ping(pair.b, "10.8.0.1")
    else:
        traffic.wait_for_ping(pair.a, "10.8.0.2")
    traffic.ping_sizes(pair.a, "10.8.0.2")
    traffic.ping_sizes(pair.b, "10.8.0.1")
    data = os.urandom(size)
    traffic.tcp_copy(pair.a, pair.b, "10.8.0.2", data)
    traffic.tcp_copy(pair.b, pair.a, "10.8.0.1", data)


def work():
    """(cell, bytes) of everything to run: the covering cells, and a long one per version."""
    for cell in cells.covering_cells():
        yield cell, SMALL
    for version in VERSIONS:
        yield {"cipher": "AES-256-CBC", "auth": "SHA256", "direction": 0, "framing": None,
               "replay": True, "native": "connects", "version": version, "family": 4}, BIG
    yield {"cipher": "AES-256-CBC", "auth": "SHA256", "direction": None, "framing": "comp-lzo no",
           "replay": True, "native": "connects", "version": "2.6", "family": 4,
           "fragment": 1300}, SMALL


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--stock", action="store_true")
    options = parser.parse_args()
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    if not options.stock and not ENGINE.exists():
        sys.exit(f"{ENGINE} is not built")
    netns.end_on_signals()
    cases.run([(f"{cells.title(cell)}, {size // 1_000_000} MB",
                lambda cell=cell, size=size: run_cell(cell, size, options.stock))
               for cell, size in work()], options.only)


if __name__ == "__main__":
    main()
