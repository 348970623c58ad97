#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine with four data threads against stock OpenVPN, whose replay window is shorter
than a train: everything has to come byte for byte, and helpers have to have had a hand in it.

    threads.py [--only TEXT]

Each case: 25 MB both ways at once, again until helpers have joined, by OpenSSL, which is slow enough
to be worth helpers; for TLS with renegotiations all the while. With $TUNCTL_NIGHTLY ten times as
much.
"""

import argparse
import os
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import keys  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import ENGINE, NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402

THREADS = 4
SIZE = 250_000_000 if os.environ.get("TUNCTL_NIGHTLY") else 25_000_000
ROUNDS_MAX = 12
OWN = f"threads {THREADS}\ncrypto-library openssl\n"
STATIC = "port 2011\nverb 3\nsecret static.key\ncipher AES-256-CBC\nauth SHA512\n"
TLS = ("verb 4\nca ca.crt\ncipher {0}\ndata-ciphers {0}\nauth SHA512\n"
       "ping 2\nping-restart 60\n")


def static_texts(here, there):
    return (f"dev tun3\nifconfig 10.8.0.1 10.8.0.2\nremote {there}\n" + STATIC + OWN,
            f"dev tun3\nifconfig 10.8.0.2 10.8.0.1\nremote {here}\n" + STATIC)


def tls_texts(cipher):
    def texts(_, there):
        common = TLS.format(cipher)
        return ("dev tun3\nifconfig 10.8.0.1 10.8.0.2\ntls-client\nnobind\n"
                f"remote {there} 2011\ncert client.crt\nkey client.key\nreneg-sec 3\n" + common + OWN,
                "dev tun3\nifconfig 10.8.0.2 10.8.0.1\ntls-server\nport 2011\ndh none\n"
                "cert server.crt\nkey server.key\nreneg-sec 0\n" + common)
    return texts


CASES = {"static key, AES-256-CBC with SHA512": static_texts,
         "TLS, AES-256-GCM": tls_texts("AES-256-GCM"),
         "TLS, AES-256-CBC with SHA512": tls_texts("AES-256-CBC")}


def thread_names(pid):
    return {path.read_text().strip() for path in pathlib.Path(f"/proc/{pid}/task").glob("*/comm")}


def both_ways(pair):
    """Returns what went wrong. The two directions at once, each compared byte for byte."""
    problems = []

    def copy(of, to, address):
        try:
            traffic.tcp_copy(of, to, address, os.urandom(SIZE))
        except (AssertionError, OSError) as error:
            problems.append(str(error))

    ways = [threading.Thread(target=copy, args=way) for way in
            ((pair.a, pair.b, "10.8.0.2"), (pair.b, pair.a, "10.8.0.1"))]
    for way in ways:
        way.start()
    for way in ways:
        way.join()
    return problems


def run(texts):
    with cases.two_ends() as (pair, folder):
        keys.write_static_key(f"{folder}/static.key")
        pki.make_pair(folder)
        native_text, stock_text = texts(*pair.addresses4)
        with StockPeer("2.6", pair.b, folder, stock_text, "b") as stock, \
             NativePeer(pair.a, folder, native_text, "a") as native:
            native.wait_connected(25.0)
            traffic.wait_for_ping(pair.a, "10.8.0.2")
            if "data-1" in thread_names(native.pid):
                raise AssertionError("helpers without load")
            begun = time.monotonic()
            problems, rounds = both_ways(pair), 1
            helpers = {f"data-{i}" for i in range(1, THREADS)}
            # Stock is the slower end: whether there is ever more than this one can do alone is up to
            # how the machine's CPUs are shared at the moment.
            while not problems and not helpers <= thread_names(native.pid) and rounds < ROUNDS_MAX:
                problems, rounds = both_ways(pair), rounds + 1
            rate = rounds * 2 * SIZE * 8 / 1e6 / (time.monotonic() - begun)
            names = thread_names(native.pid)
            if not helpers <= names:
                problems.append(f"no helpers joined: {sorted(names)}")
            os.kill(native.pid, signal.SIGUSR2)
            native.wait_until(lambda: "status: sealed" in native.log(), "the dump", 5.0)
            for reason in ("auth-failed", "replayed"):
                if f"status: dropped {reason}" in native.log():
                    problems.append(f"{reason} at the native end")
            if "bad packet ID" in stock.log() or "Authenticate/Decrypt" in stock.log():
                problems.append("stock dropped packets")
            if problems:
                raise AssertionError("\n".join(problems) + f"\n--- native:\n{native.log()[-3000:]}"
                                     f"--- stock:\n{stock.log()[-3000:]}---")
            return f"{rate:.0f} Mbit/s both ways together"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    if not ENGINE.exists():
        sys.exit(f"{ENGINE} is not built")
    netns.end_on_signals()
    cases.run([(title, lambda texts=texts: run(texts)) for title, texts in CASES.items()],
              options.only)


if __name__ == "__main__":
    main()
