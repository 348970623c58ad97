#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two plain files, as people have had them for fifteen years, run as they are:

    server.conf  10.0.0.1                       10.0.0.2  client.conf
    tun3 10.8.0.1 ============ udp 2011 ============ tun3 10.8.0.2

native - stock, stock - native and native - native; with the secret (so BF-CBC and SHA1, for no
cipher is named) and with `cipher none`, `auth none` in the secret's place.
"""

import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer, VERSIONS  # noqa: E402

SERVER = """\
dev tun3
ifconfig 10.8.0.1 10.8.0.2
secret static.key
port 2011
proto udp
"""
CLIENT = """\
dev tun3
ifconfig 10.8.0.2 10.8.0.1
secret static.key
port 2011
proto udp
remote 10.0.0.1
"""


def without_secret(text):
    return text.replace("secret static.key", "cipher none\nauth none")


def start(engine, namespace, folder, text, name):
    if engine == "native":
        return NativePeer(namespace, folder, text, name)
    return StockPeer(engine, namespace, folder, text, name)


def run_pair(server_engine, client_engine, with_secret):
    server_text, client_text = SERVER, CLIENT
    if not with_secret:
        server_text, client_text = without_secret(SERVER), without_secret(CLIENT)
    with netns.Pair(("10.0.0.1", "10.0.0.2")) as (a, b), \
         tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        keys.write_static_key(f"{folder}/static.key")
        with start(server_engine, a, folder, server_text, "server") as server:
            server.wait_started()
            with start(client_engine, b, folder, client_text, "client") as client:
                client.wait_started()
                if with_secret and client_engine == "native":
                    # Nobody has sent a byte: the engine's own question must bring the link up.
                    client.wait_connected(5)
                traffic.wait_for_ping(b, "10.8.0.1")
                traffic.ping_sizes(b, "10.8.0.1")
                traffic.ping_sizes(a, "10.8.0.2")
                traffic.tcp_copy(a, b, "10.8.0.2", os.urandom(5_000_000))
                for end in (server, client):
                    end.wait_connected(5)
                    if isinstance(end, NativePeer):
                        check_warnings(end, with_secret)


def check_warnings(native, with_secret):
    """One warning for each weak choice, and it names the better one."""
    lines = [line for line in native.log().splitlines() if "AES-256" in line]
    if with_secret:
        assert any("BF-CBC" in line for line in lines), native.log()
    else:
        assert "clear" in native.log() or "not encrypted" in native.log(), native.log()


def main():
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    netns.end_on_signals()
    failed = 0
    for with_secret in (True, False):
        pairs = [("native", "native"), *((v, "native") for v in VERSIONS),
                 *(("native", v) for v in VERSIONS)]
        for server_engine, client_engine in pairs:
            title = f"{server_engine} - {client_engine}, {'secret' if with_secret else 'none'}"
            try:
                run_pair(server_engine, client_engine, with_secret)
                print(f"ok      {title}", flush=True)
            except (AssertionError, OSError) as error:
                failed += 1
                print(f"FAILED  {title}: {error}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
