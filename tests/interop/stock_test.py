#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The harness proves itself on what needs none of our code: stock OpenVPN at both ends, each
generation as listener, carries pings of all sizes and 5 MB byte for byte."""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from openvpn_peer import StockPeer, VERSIONS  # noqa: E402


def carries_traffic(listener_version):
    with netns.Pair() as (a, b), tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        keys.write_static_key(f"{folder}/static.key")
        common = "dev tun3\nsecret static.key\ncipher AES-256-CBC\nauth SHA256\nport 2011\n"
        listening = f"{common}ifconfig 10.8.0.1 10.8.0.2\n"
        calling = f"{common}ifconfig 10.8.0.2 10.8.0.1\nremote {netns.Pair.addresses4[0]}\n"
        with StockPeer(listener_version, a, folder, listening, "listener") as listener, \
             StockPeer("2.6", b, folder, calling, "caller") as caller:
            listener.wait_started()
            caller.wait_started()
            traffic.wait_for_ping(b, "10.8.0.1")
            traffic.ping_sizes(b, "10.8.0.1")
            traffic.ping_sizes(a, "10.8.0.2")
            data = os.urandom(5_000_000)
            seconds = traffic.tcp_copy(a, b, "10.8.0.2", data)
            traffic.tcp_copy(b, a, "10.8.0.1", data)
    print(f"{listener_version} <-> 2.6: 5 MB in {seconds:.2f} s")


def main():
    skip.need("root", "tun", "netns", "program:openvpn")
    netns.end_on_signals()
    for version in VERSIONS:
        carries_traffic(version)


if __name__ == "__main__":
    main()
