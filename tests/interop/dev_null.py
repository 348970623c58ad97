#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine against stock OpenVPN where nothing is allowed: `dev null` at both ends, over
loopback, no root. With `ping 1` each end authenticates the other's pings, once a second.
"""

import pathlib
import re
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402

CASES = (  # what both configs say of the crypto
    "",
    "cipher AES-128-CBC\n",
    "cipher AES-256-CBC\nauth SHA512\n",
    "cipher AES-256-CBC\nauth none\n",
    "cipher none\nauth SHA256\n",
    "cipher none\nauth none\n",
    "cipher AES-256-CBC\nauth SHA256\ncompress stub\n",
)


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def config(mine, theirs, crypto, status):
    calls = f"remote 127.0.0.1 {theirs}\n" if theirs else ""
    return (f"dev null\nproto udp\nlocal 127.0.0.1\nlport {mine}\n{calls}secret static.key\n"
            f"{crypto}ping 1\nping-restart 30\nstatus {status} 1\n")


def authenticated_bytes(path):
    """What a status file says was received and authenticated."""
    found = re.search(r"^Auth read bytes,(\d+)", path.read_text() if path.exists() else "", re.M)
    return int(found[1]) if found else 0


def both_hear(crypto, native_calls):
    with tempfile.TemporaryDirectory(prefix="tct-") as folder_name:
        folder = pathlib.Path(folder_name)
        keys.write_static_key(folder / "static.key")
        native_port, stock_port = free_port(), free_port()
        native_text = config(native_port, stock_port if native_calls else None, crypto,
                             "native.status")
        stock_text = config(stock_port, None if native_calls else native_port, crypto,
                            "stock.status")
        with NativePeer(netns.Here(), folder, native_text, hide_openvpn=False) as native, \
             StockPeer("2.6", netns.Here(), folder, stock_text) as stock:
            native.wait_started()
            native.wait_connected()
            stock.wait_connected()
            for end, name in ((native, "native"), (stock, "stock")):
                status = folder / f"{name}.status"
                end.wait_until(lambda: authenticated_bytes(status) > 0, "authenticated bytes")
                first = authenticated_bytes(status)
                end.wait_until(lambda: authenticated_bytes(status) > first, "one more ping")
            assert native.status().get("auth-failed", "0") == "0", native.status()


def main():
    skip.need("program:openvpn")
    netns.end_on_signals()
    failed = 0
    for index, crypto in enumerate(CASES):
        title = " ".join(crypto.split()) or "defaults"
        try:
            both_hear(crypto, native_calls=index % 2 == 0)
            print(f"ok      {title}", flush=True)
        except (AssertionError, OSError) as error:
            failed += 1
            print(f"FAILED  {title}: {error}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
