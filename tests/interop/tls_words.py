#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a stock server says to a native client while it is connected, or instead of letting it in:
HALT, RESTART, a refusal for the time being, other options than before. Most of it is said by way of
the server's management socket.

    tls_words.py [--only TEXT]
"""

import contextlib
import os
import pathlib
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import skip  # noqa: E402
import tls_life  # noqa: E402
import tls_login  # noqa: E402
import traffic  # noqa: E402
from openvpn_peer import VERSIONS  # noqa: E402
from tls_life import CLIENT, REMOTE, SERVER, connections, expect, wait_connection  # noqa: E402

SOCKET = "management.sock"
MANAGED = SERVER + f"management {SOCKET} unix\n"
CASES = []


def case(*versions):
    def register(function):
        CASES.extend((function, version) for version in versions)
        return function
    return register


class Management:
    """A server's management socket, spoken to line by line."""

    def __init__(self, place):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(5)
        self._socket.connect(str(place.folder / SOCKET))
        self._lines = self._socket.makefile("r")

    def say(self, command, end="SUCCESS"):
        """The lines of the answer, up to the one that begins with `end`; what came meanwhile unasked is
        left out."""
        self._socket.sendall(command.encode() + b"\n")
        lines = []
        while not lines or not lines[-1].startswith((end, "ERROR")):
            line = self._lines.readline().rstrip("\n")
            if not line:
                raise AssertionError(f"{command}: the management socket is closed; {lines}")
            if not line.startswith(">"):
                lines.append(line)
        expect(not lines[-1].startswith("ERROR"), command, lines)
        return lines

    def update(self, command):
        self.say(command, "SUCCESS: push-update")

    def client(self):
        """The number of the only client."""
        head, row = None, None
        for line in self.say("status 2", "END"):
            fields = line.split(",")
            if fields[:2] == ["HEADER", "CLIENT_LIST"]:
                head = fields[2:]
            if fields[0] == "CLIENT_LIST":
                row = fields[1:]
        expect(head and row, "nobody is connected")
        return row[head.index("Client ID")]


@contextlib.contextmanager
def managed(place, version, more="", client=""):
    with place.server(MANAGED + more, version=version) as server, \
         place.native(CLIENT + REMOTE + client) as native:
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        yield server, native, Management(place)


@case(*VERSIONS)
def restart(place, version):
    """RESTART: the client connects anew, to the same server, without waiting for ping-restart."""
    with managed(place, version) as (_, native, management):
        start = time.monotonic()
        management.say(f"client-kill {management.client()}")
        native.wait_for_line("the server asks to connect anew", timeout=5)
        wait_connection(native, 2)
        expect(time.monotonic() - start < 6, "it took", time.monotonic() - start)
        traffic.wait_for_ping(place.a, "10.9.0.1")


@case(*VERSIONS)
def halt(place, version):
    """HALT: the client ends, and no manager starts it again."""
    with managed(place, version) as (_, native, management):
        management.say(f"client-kill {management.client()} HALT")
        expect(native.child.wait(10) == 78, native.child.returncode, native.log())
        expect("the server ends this client (HALT)" in native.log(), native.log())
        expect("HALT" in native.notify.last("STATUS"), native.notify.last("STATUS"))
        expect("tun3" not in place.a.ip("link"))


@case("2.6", "2.7")
def refused_for_now(place, version):
    """AUTH_FAILED,TEMP: tried again, but not before the server's time is over, and with the same
    password; nothing is asked of a person."""
    tls_login.verifier(place, "seen > 0", 'while ((getline line < "tries") > 0) seen++; seen -= 1\n'
                       '  if (seen < 1) printf "TEMP[backoff 7,advance no]:come back later"'
                       ' >ENVIRON["auth_failed_reason_file"]')
    tls_login.password_file(place)
    with place.server(tls_login.SERVER_HEAD, version=version), tls_login.client(place, "") as native:
        native.wait_for_line("AUTH_FAILED: come back later: restarting", timeout=20)
        start = time.monotonic()
        status = native.notify.last("STATUS")
        expect("come back later" in status, status)
        native.wait_connected(30)
        waited = time.monotonic() - start
        expect(6 < waited < 14, "it came back after", waited)
        expect(tls_login.tries(place) == ["joe right", "joe right"], tls_login.tries(place))
        traffic.wait_for_ping(place.a, "10.9.0.1")


@case("2.7")
def other_options(place, version):
    """PUSH_UPDATE: routes come and go and addresses change while the session goes on."""
    more = 'push "route 192.168.70.0 255.255.255.0"\npush "dhcp-option DNS 10.9.0.1"\n'
    with managed(place, version, more) as (server, native, management):
        routes = lambda: place.a.ip("route", "show", "dev", "tun3")
        expect("192.168.70.0/24" in routes(), routes())
        management.update('push-update-broad "route 192.168.77.0 255.255.255.0"')
        native.wait_until(lambda: "192.168.77.0/24" in routes(), "the other route", 10)
        expect("192.168.70.0/24" not in routes(), routes())
        traffic.wait_for_ping(place.a, "10.9.0.1")
        number = management.client()
        management.update(f'push-update-cid {number} "-route,-dhcp-option"')
        native.wait_until(lambda: "192.168.77.0/24" not in routes(), "no route", 10)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        management.update(f'push-update-cid {number} "ifconfig 10.9.0.9 255.255.255.0"')
        native.wait_until(lambda: "10.9.0.9/24" in place.a.ip("addr", "show", "tun3"), "address", 10)
        expect("10.9.0.2/24" not in place.a.ip("addr", "show", "tun3"))
        expect(connections(native) == 1, native.log())


@case("2.7")
def options_that_cannot_be(place, version):
    """What a PUSH_UPDATE cannot mean is named; an optional one that is not known is left."""
    with managed(place, version) as (_, native, management):
        management.update('push-update-broad "?no-such-option 1,route 192.168.71.0 255.255.255.0"')
        native.wait_until(lambda: "192.168.71.0/24" in place.a.ip("route"), "the route", 10)
        expect(connections(native) == 1, native.log())
        management.update('push-update-broad "no-such-option 1"')
        native.wait_for_line("PUSH_UPDATE", timeout=10)
        wait_connection(native, 2)
        traffic.wait_for_ping(place.a, "10.9.0.1")


@case(*VERSIONS)
def worn_keys_by_bytes(place, version):
    """reneg-bytes: keys change under a load, and nothing is lost."""
    with place.server(SERVER + "hand-window 4\n", version=version), \
         place.native(CLIENT + REMOTE + "reneg-bytes 1000000\nhand-window 4\n") as native:
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        for _ in range(3):
            traffic.tcp_copy(place.a, place.b, "10.9.0.1", os.urandom(2_000_000))
            time.sleep(1)
        native.wait_until(lambda: native.log().count("new keys are in use") >= 2, "new keys", 10)
        expect("a key nears its limit" in native.log(), native.log())
        expect(connections(native) == 1, native.log())
        traffic.wait_for_ping(place.a, "10.9.0.1")


@case(*VERSIONS)
def fragments(place, version):
    """`fragment` in TLS mode, both ways, with a cipher of either kind."""
    for name, cipher in (("aead", "AES-256-GCM"), ("cbc", "AES-256-CBC")):
        more = f"fragment 1200\nmssfix 1200\ndata-ciphers {cipher}\n"
        with place.server(SERVER + more, name=f"server-{name}", version=version), \
             place.native(CLIENT + REMOTE + more, name=f"client-{name}") as native:
            native.wait_connected(20)
            traffic.wait_for_ping(place.a, "10.9.0.1")
            traffic.ping_sizes(place.a, "10.9.0.1")
            traffic.ping_sizes(place.b, "10.9.0.2")
            traffic.tcp_copy(place.a, place.b, "10.9.0.1", os.urandom(1_000_000))
            traffic.tcp_copy(place.b, place.a, "10.9.0.2", os.urandom(1_000_000))
            expect("set up differently" not in native.log(), native.log())


@case("2.5")
def link_mtu(place, version):
    """Of a client, whose server tells it no other: 2.6 and 2.7 push their tun-mtu."""
    for lines, wanted in (("", 1375), ("cipher AES-256-CBC\n", 1347)):
        with place.server(version=version), \
             place.native(CLIENT + REMOTE + lines + "link-mtu 1400\n") as native:
            native.wait_connected(20)
            traffic.wait_for_ping(place.a, "10.9.0.1")
            traffic.ping_sizes(place.a, "10.9.0.1")
            link = place.a.ip("link", "show", "tun3")
            expect(f" mtu {wanted} " in link, link)


if __name__ == "__main__":
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    netns.end_on_signals()
    tls_life.run([(f"{each.__name__.replace('_', ' ')} {version}",
                   lambda place, each=each, version=version: each(place, version))
                  for each, version in CASES])
