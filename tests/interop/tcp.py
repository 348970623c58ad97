#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine over TCP against stock OpenVPN of three generations, in both roles.

    tcp.py [WORDS]     only the cases whose title has WORDS
"""

import contextlib
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer, VERSIONS  # noqa: E402

SMALL = 5_000_000
CASES = []


case = cases.into(CASES)


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def config(mine, theirs, *lines):
    return "".join(f"{line}\n" for line in (
        "dev tun3", f"ifconfig {mine} {theirs}", "port 2011", "cipher AES-256-CBC", "auth SHA256",
        f"secret static.key {0 if mine < theirs else 1}", *lines))


def native(place, *lines):
    return NativePeer(place.pair.a, place.folder, config("10.8.0.1", "10.8.0.2", "verb 4", *lines))


def stock(place, version, *lines):
    return StockPeer(version, place.pair.b, place.folder, config("10.8.0.2", "10.8.0.1", *lines))


class Place:
    """Two namespaces and a folder with the key."""

    def __init__(self, pair, folder):
        self.pair, self.folder = pair, pathlib.Path(folder)
        self.here4, self.there4 = pair.addresses4
        self.here6, self.there6 = pair.addresses6
        keys.write_static_key(self.folder / "static.key")


def carry(place, size=SMALL):
    traffic.wait_for_ping(place.pair.a, "10.8.0.2", timeout=20)
    traffic.ping_sizes(place.pair.a, "10.8.0.2")
    traffic.ping_sizes(place.pair.b, "10.8.0.1")
    data = os.urandom(size)
    traffic.tcp_copy(place.pair.a, place.pair.b, "10.8.0.2", data)
    traffic.tcp_copy(place.pair.b, place.pair.a, "10.8.0.1", data)


@contextlib.contextmanager
def with_logs(*peers):
    try:
        yield
    except (AssertionError, OSError) as error:
        raise AssertionError(f"{error}\n" + "".join(
            f"--- {peer.title}:\n{peer.log()[-3000:]}" for peer in peers)) from None


def agrees(peer, other):
    expect("set up differently" not in peer.log(), peer.log())
    expect("is used inconsistently" not in other.log(), other.log())
    expect(peer.status()["auth-failed"] == "0", peer.status())


def native_calls(place, version, family):
    there = place.there6 if family == 6 else place.there4
    with stock(place, version, f"proto tcp{family}-server") as b, \
         native(place, f"proto tcp{family}-client", f"remote {there}") as a, with_logs(a, b):
        a.wait_connected(20)
        carry(place)
        agrees(a, b)


def native_is_called(place, version, family):
    here = place.here6 if family == 6 else place.here4
    with native(place, "proto tcp-server") as a:
        a.wait_for_line("waiting for the peer to connect")
        with stock(place, version, f"proto tcp{family}-client", f"remote {here}") as b, \
             with_logs(a, b):
            a.wait_connected(20)
            carry(place)
            agrees(a, b)


for _version in VERSIONS:
    for _family in (4, 6):
        for _role in (native_calls, native_is_called):
            CASES.append((f"{_version} tcp{_family} {_role.__name__.replace('_', ' ')}",
                          lambda place, v=_version, f=_family, r=_role: r(place, v, f)))


@case
def a_server_that_comes_back_is_called_again(place):
    with native(place, "proto tcp-client", f"remote {place.there4}", "persist-tun") as a:
        a.wait_for_line("Connection refused")
        for round_number in range(1, 4):
            with stock(place, "2.6", "proto tcp-server") as b, with_logs(a, b):
                a.wait_until(lambda: a.log().count("Initialization Sequence") == round_number,
                             "the connection", 20)
                traffic.wait_for_ping(place.pair.a, "10.8.0.2", timeout=20)
                traffic.wait_for_ping(place.pair.b, "10.8.0.1", timeout=20)
            a.wait_until(lambda: a.log().count("connection lost: ") >= round_number, "its end")


@case
def a_client_that_comes_back_is_let_in_again(place):
    with native(place, "proto tcp-server", "persist-tun") as a:
        for round_number in range(1, 4):
            with stock(place, "2.6", "proto tcp-client", f"remote {place.here4}") as b, \
                 with_logs(a, b):
                a.wait_until(lambda: a.log().count("Initialization Sequence") == round_number,
                             "the connection", 20)
                traffic.wait_for_ping(place.pair.a, "10.8.0.2", timeout=20)
                traffic.wait_for_ping(place.pair.b, "10.8.0.1", timeout=20)
            a.wait_until(lambda: a.log().count("connection lost: ") >= round_number, "its end")


@case
def a_restart_here_is_followed_by_stock(place):
    """Stock takes packet ids over TCP only from 1 on and without a gap."""
    with stock(place, "2.6", "proto tcp-server") as b, \
         native(place, "proto tcp-client", f"remote {place.there4}", "persist-tun") as a, \
         with_logs(a, b):
        for round_number in range(1, 4):
            a.wait_until(lambda: a.log().count("Initialization Sequence") == round_number,
                         "the connection", 20)
            traffic.wait_for_ping(place.pair.b, "10.8.0.1", timeout=20)
            os.kill(a.pid, signal.SIGUSR1)
        expect("bad packet ID" not in b.log(), b.log())


@case
def a_stranger_is_turned_away(place):
    place.pair.b.ip("addr", "add", "198.18.0.9/24", "dev", "b0")
    with native(place, "proto tcp-server", "remote 198.18.0.9", "ping 1", "ping-restart 5") as a:
        a.wait_for_line("waiting for the peer to connect")
        with stock(place, "2.6", "proto tcp-client", f"remote {place.here4}"):
            a.wait_for_line("a caller from 198.18.0.2")
            expect("Initialization Sequence" not in a.log(), a.log())
        with stock(place, "2.6", "proto tcp-client", f"remote {place.here4}",
                   "local 198.18.0.9") as b, with_logs(a, b):
            a.wait_connected(20)
            traffic.wait_for_ping(place.pair.b, "10.8.0.1", timeout=20)


@case
def garbage_ends_a_connection_and_not_the_engine(place):
    with native(place, "proto tcp-server") as a, with_logs(a):
        for count, garbage in enumerate((b"\0\0", b"\xff\xff", b"GET / HTTP/1.1\r\n\r\n")):
            a.wait_until(lambda: a.log().count("waiting for the peer to connect") > count, "it")
            told = a.log().count("connection lost: ")
            with place.pair.b.socket(2, 1) as caller:
                caller.connect((place.here4, 2011))
                caller.sendall(garbage)
                caller.settimeout(10)
                with contextlib.suppress(ConnectionResetError):
                    while caller.recv(4096):  # it asks for our options first
                        pass
            a.wait_until(lambda: a.log().count("connection lost: ") > told, "its end")
        with stock(place, "2.6", "proto tcp-client", f"remote {place.here4}") as b:
            a.wait_connected(20)
            traffic.wait_for_ping(place.pair.b, "10.8.0.1", timeout=20)
            expect(b.child.poll() is None, "stock ended")


@case
def udp_then_tcp_the_first_remote_that_answers(place):
    """Nobody answers over UDP; the next connection is TCP on another port, then all works."""
    blocks = [f"<connection>\nremote {place.there4} 9 udp\n</connection>",
              f"<connection>\nremote {place.there4} 10 tcp-client\nconnect-timeout 3\n</connection>",
              f"<connection>\nremote {place.there4} 2011 tcp-client\n</connection>"]
    with stock(place, "2.6", "proto tcp-server") as b, \
         native(place, *blocks, "ping 1", "ping-restart 2", "persist-tun") as a, with_logs(a, b):
        a.wait_connected(30)
        carry(place)
        agrees(a, b)


@case
def a_silent_address_costs_no_more_than_connect_timeout(place):
    place.pair.b.ip("addr", "add", "198.18.0.8/24", "dev", "b0")
    place.pair.b.run("ip", "rule", "add", "from", "198.18.0.8", "blackhole")
    with stock(place, "2.6", "proto tcp-server") as b, \
         native(place, "proto tcp-client", "remote 198.18.0.8", f"remote {place.there4}",
                "connect-timeout 2") as a, with_logs(a, b):
        start = time.monotonic()
        a.wait_connected(20)
        expect("no answer in time (connect-timeout)" in a.log(), a.log())
        expect(1.5 < time.monotonic() - start < 8, time.monotonic() - start)


def run_one(function):
    with cases.two_ends() as (pair, folder):
        function(Place(pair, folder))


def main(wanted):
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    netns.end_on_signals()
    cases.run([(title, lambda function=function: run_one(function)) for title, function in wanted],
              " ".join(sys.argv[1:]))


if __name__ == "__main__":
    main(CASES)
