#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine in TLS mode against stock OpenVPN of three generations: as client of a server,
and as either end between two equals.

    tls_walk.py [--only TEXT] [--all] [--long] [--jobs N]

Each cell: handshake, pings of 0 to 8000 bytes both ways, 2 MB byte for byte both ways, and then
renegotiations while pings and TCP streams go on, of which nothing may be lost. With --long it is
20 MB and one renegotiation more. Without --all every
pair of values of two axes meets in some cell; with it every cell is built. Cells wait more than
they work, so several run at a time, each in a process of its own.
"""

import argparse
import concurrent.futures
import os
import signal
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402
import tls_cells  # noqa: E402
import traffic  # noqa: E402
from native_peer import ENGINE, NativePeer  # noqa: E402
from openvpn_peer import StockPeer, VERSIONS, root_of  # noqa: E402

SIZE = 2_000_000
RENEG_SECONDS = 2
RENEGOTIATIONS = 2
LONG_SIZE, LONG_RENEGOTIATIONS = 20_000_000, 3
NEW_KEYS = "new keys are in use"


def run_cell(cell, long):
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        pki.make_pair(folder)
        pki.wrap_keys(folder)
        addresses = pair.addresses6 if cell["family"] == 6 else pair.addresses4
        stock_text = tls_cells.stock_config(cell, addresses[0])
        native_text = tls_cells.native_config(cell, addresses[1], RENEG_SECONDS)
        with StockPeer(cell["version"], pair.b, folder, stock_text) as stock:
            with NativePeer(pair.a, folder, native_text) as native:
                try:
                    carry(pair, native, LONG_SIZE if long else SIZE)
                    renegotiate_under_traffic(
                        pair, native, LONG_RENEGOTIATIONS if long else RENEGOTIATIONS)
                except (AssertionError, OSError) as error:
                    os.kill(native.pid, signal.SIGUSR2)  # what was dropped, into the log
                    time.sleep(0.3)
                    raise AssertionError(
                        f"{error}\n--- native config:\n{native_text}--- native:\n"
                        f"{native.log()[-3000:]}--- stock config:\n{stock_text}--- stock:\n"
                        f"{stock.log()[-3000:]}---") from None


def carry(pair, native, size):
    native.wait_started()
    native.wait_connected(25.0)
    traffic.wait_for_ping(pair.a, tls_cells.STOCK)
    traffic.ping_sizes(pair.a, tls_cells.STOCK)
    traffic.ping_sizes(pair.b, tls_cells.NATIVE)
    data = os.urandom(size)
    traffic.tcp_copy(pair.a, pair.b, tls_cells.STOCK, data)
    traffic.tcp_copy(pair.b, pair.a, tls_cells.NATIVE, data)


def renegotiate_under_traffic(pair, native, renegotiations):
    wanted = native.log().count(NEW_KEYS) + renegotiations
    end = time.monotonic() + 10 * renegotiations
    lost = 0
    with traffic.Pinger(pair.a, tls_cells.STOCK) as pinger:
        while native.log().count(NEW_KEYS) < wanted:
            if time.monotonic() > end:
                raise AssertionError("no renegotiation came about")
            traffic.tcp_copy(pair.b, pair.a, tls_cells.NATIVE, os.urandom(100_000))
            for _ in range(20):
                lost += pinger.once(56, 2.0) is None
    if lost:
        raise AssertionError(f"{lost} pings were lost while keys changed")


def run_one(cell, long):
    """In a process of its own. Returns what went wrong, or nothing, and the seconds it took."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, __file__, "--cell", tls_cells.title(cell),
                           *(["--long"] if long else [])],
                          capture_output=True, text=True, preexec_fn=netns.die_with_parent)
    problem = "" if done.returncode == 0 else (done.stdout + done.stderr).strip()[-9000:]
    return problem, time.monotonic() - start


def run_all(cells, jobs, long):
    failed = []
    # Threads that live as long as the program: a child dies with the thread that started it.
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for cell, (problem, seconds) in zip(cells, pool.map(lambda cell: run_one(cell, long), cells)):
            title = tls_cells.title(cell)
            print(f"{seconds:5.1f} s  {title}: {'FAILED: ' + problem if problem else 'ok'}",
                  flush=True)
            if problem:
                failed.append(title)
    cases.end(len(cells), failed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--cell", help=argparse.SUPPRESS)
    options = parser.parse_args()
    netns.end_on_signals()
    if options.cell:
        cell = next(c for c in tls_cells.all_cells() if tls_cells.title(c) == options.cell)
        return run_cell(cell, options.long)
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    if not ENGINE.exists():
        sys.exit(f"{ENGINE} is not built")
    for version in VERSIONS:
        root_of(version)  # fetched once, not by every cell at the same time
    cells = tls_cells.all_cells() if options.all else tls_cells.covering_cells()
    run_all([cell for cell in cells if options.only in tls_cells.title(cell)], options.jobs,
            options.long)


if __name__ == "__main__":
    main()
