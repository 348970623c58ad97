#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stock OpenVPN compresses what it sends, and the native engine reads it.

    compression.py [--only TEXT]

Each cell: pings of 0 to 8000 bytes both ways, 5 MB of text byte for byte both ways. That the far end
did compress is seen by what came over the link. 2.7 compresses no more: there the framing is shown.
"""

import argparse
import os
import pathlib
import random
import re
import signal
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import keys  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import ENGINE, NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402

SIZE = 5_000_000
WORDS = ("tunnel packet key cipher digest route address gateway server client window replay the of and "
         "a in to is that it was").split()
STATIC = "secret static.key\ncipher AES-256-CBC\nauth SHA256\n"
TLS = "ca ca.crt\ncert {name}.crt\nkey {name}.key\ntls-crypt ta.key\n"
# (framing of the far end, what the native config says of it)
FRAMINGS = (("comp-lzo\ncomp-noadapt", "comp-lzo"), ("comp-lzo yes", "comp-lzo yes"),
            ("compress lzo", "comp-lzo adaptive"), ("compress lz4", "compress lz4"),
            ("compress lz4-v2", "compress lz4-v2"))


def work():
    """(mode, version, far end's framing, near end's line; empty: it is pushed, further lines)"""
    for version in ("2.5", "2.6"):
        for far, near in FRAMINGS:
            yield "static", version, far, near, ""
            if far != "comp-lzo yes":
                yield "tls", version, far, near, ""
        yield "pushed", version, "comp-lzo yes", "", ""
        yield "pushed", version, "compress lz4-v2", "comp-lzo", ""
    yield "static", "2.6", "comp-lzo yes", "comp-lzo yes", "fragment 1200"
    yield "static", "2.6", "comp-lzo yes", "comp-lzo yes", "tun-mtu 30000"
    yield "static", "2.7", "comp-lzo", "comp-lzo", ""
    yield "tls", "2.7", "compress lz4-v2", "compress lz4-v2", ""


def far_config(mode, framing, more):
    lines = f"dev tun4\nproto udp\nport 2013\nallow-compression yes\n{framing}\n{more}\n"
    if mode == "static":
        return f"{lines}ifconfig 10.9.0.1 10.9.0.2\n{STATIC}"
    lines += "server 10.9.0.0 255.255.255.0\ntopology subnet\ndh none\nkeepalive 2 20\n"
    if mode == "pushed":
        lines += f'push "{framing}"\n'
    return lines + TLS.format(name="server")


def near_config(mode, framing, more):
    lines = f"dev tun3\nproto udp\nremote 198.18.0.2 2013\nverb 4\n{framing}\n{more}\n"
    if mode == "static":
        return f"{lines}nobind\nifconfig 10.9.0.2 10.9.0.1\n{STATIC}"
    return f"{lines}client\nnobind\nremote-cert-tls server\n{TLS.format(name='client')}"


def text_of(size):
    dice = random.Random(11)
    line = b" ".join(dice.choice(WORDS).encode() for _ in range(size // 40))
    return (line * 20)[:size]


def link_bytes(native):
    """What the native end has read off the link, by its own count."""
    before = native.log().count("link read")
    os.kill(native.pid, signal.SIGUSR2)
    native.wait_until(lambda: native.log().count("link read") > before, "statistics", 5.0)
    return int(re.findall(r"link read (\d+)", native.log())[-1])


def carry(pair, native, compresses):
    native.wait_started()
    traffic.wait_for_ping(pair.a, "10.9.0.1", timeout=30.0)
    traffic.ping_sizes(pair.a, "10.9.0.1")
    traffic.ping_sizes(pair.b, "10.9.0.2")
    data = text_of(SIZE)
    traffic.tcp_copy(pair.a, pair.b, "10.9.0.1", data)
    before = link_bytes(native)
    traffic.tcp_copy(pair.b, pair.a, "10.9.0.2", data)
    came = link_bytes(native) - before
    if compresses != (came < SIZE * 0.8):
        raise AssertionError(f"{came} bytes came over the link for {SIZE} bytes of text")
    for reason in ("bad-framing", "bad-compression"):
        if reason in native.log():
            raise AssertionError(f"packets were dropped: {reason}")
    return came


def told_difference(far, log):
    """2.5 tells of options that differ; ours must look like its own. (For lz4-v2 it counts a byte
    that later releases do not count.)"""
    names = "comp-lzo" if far == "compress lz4-v2" else "comp-lzo|link-mtu"
    return next((line for line in log.splitlines() if re.search(rf"'({names})' is ", line)), None)


def run_cell(mode, version, far, near, more):
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        keys.write_static_key(f"{folder}/static.key")
        if mode != "static":
            pki.make_pair(folder)
            pki.wrap_keys(folder)
        far_text, near_text = far_config(mode, far, more), near_config(mode, near, more)
        with StockPeer(version, pair.b, folder, far_text) as stock:
            with NativePeer(pair.a, folder, near_text) as native:
                try:
                    came = carry(pair, native, version != "2.7")
                    if mode != "pushed" and (found := told_difference(far, stock.log())):
                        raise AssertionError(found)
                    return came
                except (AssertionError, OSError) as error:
                    raise AssertionError(f"{error}\n--- native config:\n{near_text}--- native:\n"
                                         f"{native.log()[-3000:]}--- stock:\n"
                                         f"{stock.log()[-3000:]}---") from None


def refuses_what_it_must():
    """With `allow-compression no` a server that wants compression is refused, and that by name."""
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as folder:
        os.chmod(folder, 0o755)
        pki.make_pair(folder)
        pki.wrap_keys(folder)
        with StockPeer("2.6", pair.b, folder, far_config("pushed", "compress lz4", "")):
            text = near_config("pushed", "allow-compression no", "")
            with NativePeer(pair.a, folder, text) as native:
                native.wait_for_line("`allow-compression no` forbids it", timeout=30.0)


def share_of_text(*cell):
    came = run_cell(*cell)
    return None if came is None else f"{came / SIZE:.0%} of the text came over"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    if not ENGINE.exists():
        sys.exit(f"{ENGINE} is not built")
    netns.end_on_signals()
    cells = [(f"{mode} {version} {far} / {near or 'nothing'} {more}".strip().replace("\n", " "),
              lambda cell=(mode, version, far, near, more): share_of_text(*cell))
             for mode, version, far, near, more in work()]
    cases.run([*cells, ("refused", refuses_what_it_must)], options.only)


if __name__ == "__main__":
    main()
