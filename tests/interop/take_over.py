#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine is killed, restarted and stopped by a manager that keeps its descriptors: what
the next run goes on with, and what it does not.

    take_over.py [--kills N] [TEXT]     N: how often it is killed under a transfer
"""

import argparse
import contextlib
import os
import pathlib
import signal
import struct
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
from keeping_manager import LEAVE, KeepingManager  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402
from transfer import Transfer, gaps_in_words  # noqa: E402

HERE, THERE = "10.8.0.1", "10.8.0.2"
COMMON = "secret static.key\nport 2011\nverb 3\nkeepalive 2 20\n"
ENDS = {"a": f"dev tun3\nifconfig {HERE} {THERE}\nroute 192.168.77.0 255.255.255.0\n" + COMMON,
        "b": f"dev tun3\nifconfig {THERE} {HERE}\n" + COMMON}
CBC = "cipher AES-256-CBC\nauth SHA512\n"
# Without a cipher the packet ids can be read on the wire.
CLEAR = "cipher none\nauth SHA256\n"
HMAC_BYTES = 32
SERVER = ("dev tun4\nproto udp\nport 2012\nserver 10.9.0.0 255.255.255.0\ntopology subnet\ndh none\n"
          "ca ca.crt\ncert server.crt\nkey server.key\ntls-crypt ta.key\nkeepalive 2 20\n"
          'push "route 192.168.77.0 255.255.255.0"\n'
          "verify-client-cert none\nauth-user-pass-optional\nauth-gen-token\nscript-security 2\n"
          "auth-user-pass-verify ./let-in via-file\n")
CLIENT = ("client\ndev tun3\nproto udp\nca ca.crt\nauth-user-pass login\ntls-crypt ta.key\n"
          "remote-cert-tls server\nverb 4\nconnect-retry 1 2\nremote 198.18.0.2 2012\nport 2013\n")
UP_SECONDS = 2.0
KILLS = 5
CASES = []
case = cases.into(CASES)


class Place:
    """Two namespaces and a folder with a key."""

    def __init__(self, pair, folder):
        self.pair, self.folder = pair, pathlib.Path(folder)
        self.a, self.b = pair
        keys.write_static_key(self.folder / "static.key")

    def kept(self, crypto, more=""):
        return KeepingManager(self.a, self.folder,
                              ENDS["a"] + crypto + f"remote {self.pair.addresses4[1]}\n" + more)

    def other_text(self, crypto):
        return ENDS["b"] + crypto + f"remote {self.pair.addresses4[0]}\n"

    @contextlib.contextmanager
    def beside_stock(self, more=""):
        """Our end under its manager, and stock's; traffic flows."""
        with self.kept(CBC, more) as manager, \
             StockPeer("2.6", self.b, self.folder, self.other_text(CBC), "b") as other:
            manager.start()
            traffic.wait_for_ping(self.a, THERE)
            yield manager, other

    def with_certificates(self):
        pki.make_pair(self.folder)
        pki.wrap_keys(self.folder)
        login = self.folder / "login"
        login.write_text("user\npassword\n")
        login.chmod(0o600)
        let_in = self.folder / "let-in"
        let_in.write_text("#!/bin/sh\nexit 0\n")
        let_in.chmod(0o755)


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def lines_with(program, words):
    return [line for line in program.log().splitlines() if words in line]


class Monitor:
    """What the kernel tells of links, addresses and routes in a namespace."""

    def __init__(self, namespace, path):
        self._path = path
        with open(path, "wb") as log:
            self._child = namespace.start(["ip", "-o", "monitor", "link", "address", "route"],
                                          stdout=log, stderr=log)
        time.sleep(0.2)

    def removed(self):
        time.sleep(0.2)
        lines = pathlib.Path(self._path).read_text(encoding="utf-8").splitlines()
        return [line for line in lines if "Deleted" in line and "table local" not in line
                and "neigh" not in line]


class Capture(threading.Thread):
    """The packet ids, in the order of the wire, of what a namespace gets over UDP `port`."""

    def __init__(self, namespace, device, port):
        super().__init__(daemon=True)
        self._socket = namespace.socket(17, 3, 0x0008)  # AF_PACKET, SOCK_RAW, IPv4
        self._socket.setsockopt(1, 33, 8 << 20)          # SO_RCVBUFFORCE
        self._socket.bind((device, 0))
        self._socket.settimeout(0.2)
        self._port, self._ends, self.ids = port, threading.Event(), []

    def run(self):
        while not self._ends.is_set():
            try:
                frame, address = self._socket.recvfrom(65536)
            except TimeoutError:
                continue
            if address[2] == 4 or frame[12:14] != b"\x08\x00" or frame[23] != 17:  # outgoing
                continue
            udp = frame[14 + (frame[14] & 15) * 4:]
            if struct.unpack("!H", udp[2:4])[0] != self._port:
                continue
            number, seconds = struct.unpack("!II", udp[8 + HMAC_BYTES:16 + HMAC_BYTES])
            self.ids.append((seconds, number))

    def finish(self):
        self._ends.set()
        self.join()
        self._socket.close()
        return self.ids


def kill_again_and_again(manager, transfer, kills, number=signal.SIGKILL):
    gaps = []
    for _ in range(kills):
        time.sleep(UP_SECONDS)
        manager.wait_connected(20)
        killed = time.monotonic()
        manager.end(number)
        manager.start()
        manager.engine.wait_for_line("resumed:")
        manager.wait_connected(40)
        try:
            transfer.wait_for_more()
        except AssertionError as error:
            manager.engine.fail(str(error))
        time.sleep(0.5)
        gaps.append(transfer.longest_gap(killed, time.monotonic()))
    return gaps


@case
def static_key_killed_under_a_transfer(place):
    """Against ourselves, with the packet ids on the wire."""
    capture = Capture(place.b, "b0", 2011)
    with place.kept(CLEAR) as manager, \
         NativePeer(place.b, place.folder, place.other_text(CLEAR), "b") as other:
        manager.start()
        capture.start()
        other.wait_connected()
        traffic.wait_for_ping(place.a, THERE)
        monitor = Monitor(place.a, place.folder / "monitor")
        with Transfer(place.a, place.b, THERE) as transfer:
            gaps = kill_again_and_again(manager, transfer, KILLS)
            size = transfer.finish()
        ids = capture.finish()
        expect(len(ids) > 1000, len(ids))
        wrong = [pair for pair in zip(ids, ids[1:]) if pair[0] >= pair[1]]
        expect(not wrong, "not strictly rising:", wrong[:5])
        expect(len({seconds for seconds, _ in ids}) > KILLS, "packet times")
        expect(monitor.removed() == [], monitor.removed())
        expect(int(other.status().get("auth-failed", 0)) == 0, other.status())
        return f"{size} bytes, {len(ids)} packets, {gaps_in_words(gaps)}"


@case
def static_key_killed_against_stock(place):
    with place.beside_stock("float\n") as (manager, other):
        monitor = Monitor(place.a, place.folder / "monitor")
        with Transfer(place.a, place.b, THERE) as transfer:
            gaps = kill_again_and_again(manager, transfer, KILLS)
            size = transfer.finish()
        with Transfer(place.b, place.a, HERE) as transfer:
            back = kill_again_and_again(manager, transfer, 2)
            transfer.finish()
        expect(monitor.removed() == [], monitor.removed())
        for words in ("may be a replay", "authentication failed", "Inactivity timeout"):
            expect(not lines_with(other, words), lines_with(other, words))
        return f"{size} bytes, {gaps_in_words(gaps + back)}"


@case
def static_key_restarted(place):
    """By the unit's signal for restarts: nobody is told, nothing is lost."""
    with place.beside_stock("explicit-exit-notify 2\n") as (manager, other):
        monitor = Monitor(place.a, place.folder / "monitor")
        with Transfer(place.a, place.b, THERE) as transfer:
            gaps = kill_again_and_again(manager, transfer, 3, LEAVE)
            transfer.finish()
        expect(monitor.removed() == [], monitor.removed())
        expect(not lines_with(other, "SIGTERM"), lines_with(other, "SIGTERM"))
        return gaps_in_words(gaps)


@case
def a_stop_leaves_nothing(place):
    with place.beside_stock() as (manager, _):
        expect(sorted(manager.kept) == ["state", "tun", "udp"], manager.kept)
        expect((manager.state / "comes-back").exists())
        manager.end(signal.SIGKILL)
        expect("tun3" in place.a.ip("link"))
        manager.start()
        manager.engine.wait_for_line("resumed:")
        traffic.wait_for_ping(place.a, THERE)
        expect(manager.end(signal.SIGTERM) == 0)
        expect(manager.kept == {}, manager.kept)
        expect("tun3" not in place.a.ip("link"))
        expect(not (manager.state / "comes-back").exists())


@case
def another_config_begins_anew(place):
    with place.beside_stock() as (manager, _):
        manager.end(LEAVE)
        manager.write(ENDS["a"].replace("192.168.77.0", "192.168.78.0") + CBC +
                      f"remote {place.pair.addresses4[1]}\n")
        manager.start()
        manager.engine.wait_for_line("not used: config or keys are others now")
        traffic.wait_for_ping(place.a, THERE)
        routes = place.a.ip("route")
        expect("192.168.78.0" in routes and "192.168.77.0" not in routes, routes)
        # A key that changed, too.
        manager.end(signal.SIGKILL)
        keys.write_static_key(place.folder / "static.key")
        manager.start()
        manager.engine.wait_for_line("not used: config or keys are others now")
        manager.engine.wait_until(lambda: manager.ready, "READY")
        expect(sorted(manager.kept) == ["state", "tun", "udp"], manager.kept)


@case
def a_damaged_state_begins_anew(place):
    with place.kept(CBC) as manager, \
         StockPeer("2.6", place.b, place.folder, place.other_text(CBC), "b"):
        for damage, why in ((lambda fd: os.pwrite(fd, b"\0" * 524352, 0), "another program"),
                            (lambda fd: os.pwrite(fd, b"\xff" * 300, 100), ""),
                            (lambda fd: os.pwrite(fd, b"\xff" * 524288, 64), "no whole state")):
            manager.start()
            traffic.wait_for_ping(place.a, THERE)
            manager.end(signal.SIGKILL)
            damage(manager.kept["state"])
            manager.start()
            manager.engine.wait_until(lambda: manager.ready, "READY")
            if why:
                manager.engine.wait_for_line("what the last run left is not used")
                expect(why in manager.engine.log(), manager.engine.log())
            traffic.wait_for_ping(place.a, THERE)
            manager.end(signal.SIGTERM)


@case
def an_interface_that_was_deleted_begins_anew(place):
    with place.beside_stock() as (manager, _):
        manager.end(signal.SIGKILL)
        place.a.ip("link", "del", "tun3")
        manager.start()
        manager.engine.wait_for_line("not used: its interface is gone")
        traffic.wait_for_ping(place.a, THERE)


@case
def flushed_routes_come_back_with_a_restart(place):
    with place.kept(CBC) as manager:
        manager.start()
        manager.engine.wait_until(lambda: manager.ready, "READY")
        place.a.ip("route", "flush", "dev", "tun3", "192.168.77.0/24")
        place.a.ip("addr", "flush", "dev", "tun3")
        manager.end(LEAVE)
        manager.start()
        manager.engine.wait_until(lambda: manager.ready, "READY")
        expect("192.168.77.0/24" in place.a.ip("route"), place.a.ip("route"))
        expect(HERE in place.a.ip("addr", "show", "tun3"))


@case
def the_fourth_run_that_hears_nobody_begins_anew(place):
    with place.kept(CBC) as manager:
        manager.start()
        for _ in range(3):
            manager.engine.wait_until(lambda: manager.ready, "READY")
            manager.end(signal.SIGKILL)
            manager.start()
            manager.engine.wait_for_line("resumed:")
        manager.engine.wait_until(lambda: manager.ready, "READY")
        manager.end(signal.SIGKILL)
        manager.start()
        manager.engine.wait_for_line("not used: three runs within a minute")


@case
def without_resume_nothing_is_kept(place):
    with place.kept(CBC, "resume off\n") as manager:
        manager.start()
        manager.engine.wait_until(lambda: manager.ready, "READY")
        expect(manager.kept == {}, manager.kept)
        expect(manager.end(LEAVE) == 0)
        expect("tun3" not in place.a.ip("link"))


@case
def tls_client_killed_under_a_transfer(place):
    """The device stays as it was pushed while there is a new handshake; the token is shown."""
    place.with_certificates()
    with StockPeer("2.6", place.b, place.folder, SERVER, "server") as server, \
         KeepingManager(place.a, place.folder, CLIENT) as manager:
        server.wait_for_line("Initialization Sequence Completed")
        manager.start()
        traffic.wait_for_ping(place.a, "10.9.0.1", 20)
        before = place.a.ip("addr", "show", "tun3"), place.a.ip("route")
        monitor = Monitor(place.a, place.folder / "monitor")
        with Transfer(place.a, place.b, "10.9.0.1") as transfer:
            gaps = kill_again_and_again(manager, transfer, KILLS)
            gaps += kill_again_and_again(manager, transfer, 2, LEAVE)
            size = transfer.finish()
        expect((place.a.ip("addr", "show", "tun3"), place.a.ip("route")) == before)
        expect(monitor.removed() == [], monitor.removed())
        return f"{size} bytes, {gaps_in_words(gaps)}"


@case
def tls_client_whose_server_changed_its_mind(place):
    place.with_certificates()
    with KeepingManager(place.a, place.folder, CLIENT) as manager:
        with StockPeer("2.6", place.b, place.folder, SERVER, "server") as server:
            server.wait_for_line("Initialization Sequence Completed")
            manager.start()
            traffic.wait_for_ping(place.a, "10.9.0.1", 20)
            manager.end(signal.SIGKILL)
        other = SERVER.replace("10.9.0.0", "10.10.0.0").replace("192.168.77.0", "192.168.78.0")
        with StockPeer("2.6", place.b, place.folder, other, "other") as server:
            server.wait_for_line("Initialization Sequence Completed")
            manager.start()
            traffic.wait_for_ping(place.a, "10.10.0.1", 20)
            routes = place.a.ip("route")
            expect("192.168.78.0" in routes and "192.168.77.0" not in routes, routes)
            expect("10.9.0.2" not in place.a.ip("addr", "show", "tun3"))


@case
def what_is_left_waits_only_for_one_who_comes(place):
    """The host route to the server, outside of the tunnel's device."""
    place.with_certificates()
    pushing = SERVER + 'push "redirect-gateway def1"\n'
    place.a.ip("route", "add", "default", "via", "198.18.0.2")
    with StockPeer("2.6", place.b, place.folder, pushing, "server") as server, \
         KeepingManager(place.a, place.folder,
                        CLIENT + "route 203.0.113.0 255.255.255.0 net_gateway\n") as manager:
        server.wait_for_line("Initialization Sequence Completed")
        manager.start()
        manager.wait_connected()

        def lasting():
            return place.a.ip("route", "show", "proto", "116")

        expect("203.0.113.0/24" in lasting(), place.a.ip("route"), manager.engine.log())
        manager.end(signal.SIGKILL)
        killed = ("SERVICE_RESULT=signal", "EXIT_CODE=killed", "EXIT_STATUS=KILL")
        manager.undo(*killed)
        expect("203.0.113.0/24" in lasting(), lasting())
        manager.start()
        manager.wait_connected()
        expect("203.0.113.0/24" in lasting(), lasting())
        manager.end(signal.SIGKILL)
        manager.undo("SERVICE_RESULT=exit-code", "EXIT_CODE=exited", "EXIT_STATUS=78")
        expect(lasting() == "", lasting())


def run_one(function):
    with cases.two_ends() as (pair, folder):
        return function(Place(pair, folder))


def main():
    global KILLS  # pylint: disable=global-statement
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("only", nargs="*")
    arguments = parser.parse_args()
    KILLS = arguments.kills
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    netns.end_on_signals()
    cases.run([(title, lambda function=function: run_one(function)) for title, function in CASES],
              " ".join(arguments.only))


if __name__ == "__main__":
    main()
