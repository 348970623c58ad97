# SPDX-License-Identifier: Apache-2.0
"""Which TLS tunnels tls_walk.py builds, and what the two configs of one look like."""

import itertools
import random

AXES = {
    "version": ("2.5", "2.6", "2.7"),
    "role": ("client", "tls-client", "tls-server"),  # of the native end; stock has the other
    "wrap": ("none", "tls-auth", "tls-crypt", "tls-crypt-v2"),
    "proto": ("udp", "tcp"),
    "cipher": ("AES-256-GCM", "CHACHA20-POLY1305", "AES-256-CBC"),
    "tls": ("1.2", "1.3"),
    "family": (4, 6),
}
CELLS_MAX = 24
PORT = 2012
NATIVE, STOCK = "10.9.0.2", "10.9.0.1"


def possible(cell):
    """The server's end of tls-crypt-v2 is not native."""
    return not (cell.get("role") == "tls-server" and cell.get("wrap") == "tls-crypt-v2")


def pairs_of(cell):
    return {((x, cell[x]), (y, cell[y])) for x, y in itertools.combinations(AXES, 2)}


def wanted_pairs():
    for x, y in itertools.combinations(AXES, 2):
        for pair in itertools.product(AXES[x], AXES[y]):
            if possible(dict(zip((x, y), pair))):
                yield (x, pair[0]), (y, pair[1])


def all_cells():
    return [cell for values in itertools.product(*AXES.values())
            if possible(cell := dict(zip(AXES, values)))]


def covering_cells(seed=1):
    """Few cells in which every pair of values of any two axes meets; always the same ones."""
    dice = random.Random(seed)
    everything, missing, cells = all_cells(), set(wanted_pairs()), []
    while missing:
        tries = dice.sample(everything, 200)
        best = max(tries, key=lambda cell: len(pairs_of(cell) & missing))
        missing -= pairs_of(best)
        cells.append(best)
    assert len(cells) <= CELLS_MAX, len(cells)
    return cells


def title(cell):
    return (f"{cell['version']} native {cell['role']} {cell['proto']}{cell['family']} "
            f"{cell['wrap']} {cell['cipher']} TLS {cell['tls']}")


def _wrap_line(cell, server):
    wrap = cell["wrap"]
    if wrap == "none":
        return []
    if wrap == "tls-auth":
        return [f"tls-auth ta.key {0 if server else 1}"]
    if wrap == "tls-crypt":
        return ["tls-crypt ta.key"]
    return [f"tls-crypt-v2 v2-{'server' if server else 'client'}.key"]


def _proto_line(cell, server):
    six = "6" if cell["family"] == 6 else ""
    role = "" if cell["proto"] == "udp" else ("-server" if server else "-client")
    return f"proto {cell['proto']}{six}{role}"


def _common(cell, server):
    name = "server" if server else "client"
    lines = [_proto_line(cell, server), "ca ca.crt", f"cert {name}.crt", f"key {name}.key",
             f"data-ciphers {cell['cipher']}", f"data-ciphers-fallback {cell['cipher']}",
             "auth SHA256", "hand-window 6", *_wrap_line(cell, server)]
    if cell["tls"] == "1.2":
        lines.append("tls-version-max 1.2")
    return lines


def _point_to_point(cell, mine, theirs, server):
    # 2.5 does not negotiate between equals: it uses what `cipher` says.
    return [f"ifconfig {mine} {theirs}", f"tls-{'server' if server else 'client'}",
            f"cipher {cell['cipher']}", "ping 1", "ping-restart 20"]


def native_config(cell, remote, reneg_seconds):
    """`remote`: where stock is. A native tls-server waits."""
    server = cell["role"] == "tls-server"
    lines = ["dev tun3", "verb 4", *_common(cell, server), f"reneg-sec {reneg_seconds}"]
    if server:
        lines += [f"port {PORT}", "dh none", "remote-cert-tls client",
                  *_point_to_point(cell, NATIVE, STOCK, True)]
    else:
        lines += [f"remote {remote} {PORT}", "nobind", "remote-cert-tls server"]
        lines += ["client"] if cell["role"] == "client" else _point_to_point(
            cell, NATIVE, STOCK, False)
    return "".join(f"{line}\n" for line in lines)


def stock_config(cell, remote):
    """`remote`: where the native end is, for the case that it is the server."""
    server = cell["role"] != "tls-server"
    lines = ["dev tun4", *_common(cell, server), "reneg-sec 0"]
    if cell["role"] == "client":
        lines += [f"port {PORT}", "dh none", "server 10.9.0.0 255.255.255.0", "topology subnet",
                  "keepalive 2 20", 'push "route 192.168.99.0 255.255.255.0"']
    elif server:
        lines += [f"port {PORT}", "dh none", *_point_to_point(cell, STOCK, NATIVE, True)]
    else:
        lines += [f"remote {remote} {PORT}", "nobind", "connect-retry 1 2",
                  *_point_to_point(cell, STOCK, NATIVE, False)]
    return "".join(f"{line}\n" for line in lines)
