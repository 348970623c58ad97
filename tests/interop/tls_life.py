#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of a native TLS client when its server goes, changes its mind or refuses it.

    tls_life.py [--only TEXT]
"""

import argparse
import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import PRELOADED, NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402

SERVER = ("dev tun4\nproto udp\nport 2012\nserver 10.9.0.0 255.255.255.0\ntopology subnet\ndh none\n"
          "ca ca.crt\ncert server.crt\nkey server.key\ntls-crypt ta.key\nkeepalive 1 6\n")
CLIENT = ("client\ndev tun3\nproto udp\nca ca.crt\ncert client.crt\nkey client.key\ntls-crypt ta.key\n"
          "remote-cert-tls server\nverb 4\nconnect-retry 1 2\n")
REMOTE = "remote 198.18.0.2 2012\n"
CASES = []
case = cases.into(CASES)


class Place:
    """Two namespaces and a folder with keys and certificates."""

    def __init__(self, pair, folder):
        self.pair, self.folder = pair, pathlib.Path(folder)
        self.a, self.b = pair
        pki.make_pair(folder)
        pki.wrap_keys(folder)

    def native(self, text, name="client", **options):
        return NativePeer(self.a, self.folder, text, name, **options)

    def server(self, text=SERVER, name="server", version="2.6"):
        peer = StockPeer(version, self.b, self.folder, text, name)
        peer.wait_for_line("Initialization Sequence Completed")
        return peer

    def script(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def connections(native):
    return native.log().count("Initialization Sequence Completed")


def wait_connection(native, number, timeout=20.0):
    native.wait_until(lambda: connections(native) >= number, f"connection number {number}", timeout)


@case
def why_there_is_no_connection_is_in_the_status(place):
    """A peer that answers and cannot be agreed with is not one that was lost."""
    with place.server(SERVER + 'push "cipher none"\n'), place.native(CLIENT + REMOTE) as native:
        why = "the server chose the cipher none, which was not offered"
        native.wait_until(lambda: why in (native.notify.last("STATUS") or ""), why, 20)


@case
def options_that_differ_are_in_the_status(place):
    """A server before 2.6 pushes no tun-mtu; where one does, it is settled."""
    text = SERVER + "tun-mtu 1400\n"
    words = "the two ends' options differ: tun-mtu is 1400 there and 1500 here"
    with place.server(text, "old", "2.5"), place.native(CLIENT + REMOTE) as native:
        native.wait_connected()
        native.wait_until(lambda: words in (native.notify.last("STATUS") or ""), words, 20)
    with place.server(text), place.native(CLIENT + REMOTE, "again") as native:
        native.wait_connected()
        traffic.wait_for_ping(place.a, "10.9.0.1")
        expect("mtu 1400" in place.a.ip("link", "show", "tun3"))
        native.wait_for_line("options differ: tun-mtu is 1400 there and 1500 here")
        expect("differ" not in native.notify.last("STATUS"), native.notify.last("STATUS"))


@case
def server_restarts(place):
    """Killed it is missed by ping-restart; a restart in good order is told by RESTART."""
    with place.server() as server, place.native(CLIENT + REMOTE + "persist-tun\n") as native:
        native.wait_connected()
        traffic.wait_for_ping(place.a, "10.9.0.1")
        server.child.kill()
        native.wait_for_line("ping-restart: nothing heard", timeout=15)
        with place.server(SERVER + "explicit-exit-notify 1\n", "again") as again:
            wait_connection(native, 2)
            traffic.wait_for_ping(place.a, "10.9.0.1")
            again.child.send_signal(signal.SIGUSR1)
            native.wait_for_line("the server asks to connect anew", timeout=15)
            wait_connection(native, 3)
            traffic.wait_for_ping(place.a, "10.9.0.1")


@case
def other_options_after_reconnect(place):
    with place.server() as server, place.native(CLIENT + REMOTE + "persist-tun\n") as native:
        native.wait_connected()
        traffic.wait_for_ping(place.a, "10.9.0.1")
        expect("10.9.0.2" in place.a.ip("addr", "show", "tun3"))
        server.stop()
        other = SERVER.replace("10.9.0.0", "10.10.0.0") + 'push "route 192.168.77.0 255.255.255.0"\n'
        with place.server(other, "other"):
            wait_connection(native, 2, 25)
            traffic.wait_for_ping(place.a, "10.10.0.1")
            addresses = place.a.ip("addr", "show", "tun3")
            expect("10.10.0.2" in addresses and "10.9.0.2" not in addresses, addresses)
            expect("192.168.77.0/24" in place.a.ip("route"))


@case
def signals(place):
    """SIGUSR1 connects anew, SIGHUP begins anew, SIGTERM says good-bye."""
    with place.server() as server:
        with place.native(CLIENT + REMOTE + "explicit-exit-notify 1\n") as native:
            native.wait_connected()
            for number, kind in enumerate((signal.SIGUSR1, signal.SIGHUP), 2):
                os.kill(engine_pid(native), kind)
                wait_connection(native, number)
                traffic.wait_for_ping(place.a, "10.9.0.1")
            os.kill(engine_pid(native), signal.SIGTERM)
            expect(native.child.wait(5) == 0, native.log())
        server.wait_for_line("CC-EEN exit message received", timeout=8)
        expect("tun3" not in place.a.ip("link"))


def engine_pid(native):
    """The engine itself: `unshare` and `sh` have become it by exec."""
    return native.pid


@case
def refused_once(place):
    """Without auth-retry a refused password is tried once, and no manager tries it again."""
    place.script("verify.sh", f"echo try >>{place.folder}/tries; exit 1")
    (place.folder / "pass").write_text("joe\nwrong\n")
    (place.folder / "pass").chmod(0o600)
    text = SERVER + "script-security 3\nauth-user-pass-verify ./verify.sh via-env\n"
    with place.server(text):
        with place.native(CLIENT + REMOTE + "auth-user-pass pass\n") as native:
            expect(native.child.wait(20) == 78, native.child.returncode, native.log())
            expect("AUTH_FAILED" in native.log(), native.log())
        expect((place.folder / "tries").read_text() == "try\n", "tried more than once")
        with place.native(CLIENT + REMOTE + "auth-user-pass pass\nauth-retry nointeract\n") as native:
            native.wait_for_line("AUTH_FAILED", timeout=20)
            expect(native.child.poll() is None, native.log())


@case
def token_of_the_server(place):
    """A pushed auth-token takes the password's place: in renegotiations and when connecting anew."""
    place.script("verify.sh", f'echo "$password" >>{place.folder}/tries; [ "$password" = right ]')
    (place.folder / "pass").write_text("joe\nright\n")
    (place.folder / "pass").chmod(0o600)
    text = SERVER + ("script-security 3\nauth-user-pass-verify ./verify.sh via-env\n"
                     "auth-gen-token\n")
    with place.server(text) as server, \
         place.native(CLIENT + REMOTE + "auth-user-pass pass\nreneg-sec 3\n") as native:
        native.wait_connected()
        native.wait_for_line("new keys are in use", timeout=15)
        os.kill(engine_pid(native), signal.SIGUSR1)
        wait_connection(native, 2)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        tries = (place.folder / "tries").read_text().splitlines()
        expect(tries == ["right"], tries, server.log()[-2000:])


@case
def next_remote(place):
    """A server that does not answer is left after server-poll-timeout; a connection block counts."""
    text = CLIENT + ("server-poll-timeout 2\nremote 198.18.0.2 2999\n"
                     "remote 198.18.0.77 2012\nremote 198.18.0.2 2012\n")
    with place.server(), place.native(text) as native:
        native.wait_connected(20)
        traffic.wait_for_ping(place.a, "10.9.0.1")
        expect(native.log().count("server-poll-timeout") == 2, native.log())


@case
def wrong_authority(place):
    """A server that another authority vouches for is not talked to."""
    pki.make_authority(place.folder, "other")
    with place.server(), \
         place.native(CLIENT.replace("ca ca.crt", "ca other.crt") + REMOTE) as native:
        native.wait_for_line("certificate", timeout=15)
        time.sleep(1)
        expect(connections(native) == 0, native.log())


@case
def default_route(place):
    """redirect-gateway: everything into the tunnel, the server itself past it, all gone in the end."""
    place.a.ip("route", "add", "default", "via", "198.18.0.2")
    before = place.a.ip("route")
    text = SERVER + 'push "redirect-gateway def1"\n'
    with place.server(text):
        with place.native(CLIENT + REMOTE) as native:
            native.wait_connected()
            traffic.wait_for_ping(place.a, "10.9.0.1")
            routes = place.a.ip("route")
            for half in ("0.0.0.0/1", "128.0.0.0/1"):
                expect(f"{half} via 10.9.0.1 dev tun3" in routes, routes)
            expect("dev a0" in place.a.ip("route", "get", "198.18.0.2"))
            native.child.kill()
            native.child.wait()
        # The same state folder, where the dead one left its journal.
        with place.native(CLIENT + REMOTE) as native:
            native.wait_connected()
            traffic.wait_for_ping(place.a, "10.9.0.1")
    expect(place.a.ip("route") == before, place.a.ip("route"))


@case
def scripts(place):
    """They are told what the server pushed."""
    place.script("up.sh", f"env >{place.folder}/up.env; echo \"$@\" >{place.folder}/up.args")
    place.script("route-up.sh", f"env >{place.folder}/route-up.env")
    text = SERVER + ('push "route 192.168.99.0 255.255.255.0"\npush "dhcp-option DNS 10.9.0.1"\n'
                     'push "setenv-safe COLOUR blue"\n')
    with place.server(text), place.native(CLIENT + REMOTE + "script-security 2\nup ./up.sh\n"
                                          "route-up ./route-up.sh\n") as native:
        native.wait_connected()
        env = (place.folder / "up.env").read_text().splitlines()
        for line in ("ifconfig_local=10.9.0.2", "ifconfig_netmask=255.255.255.0", "dev=tun3",
                     "foreign_option_1=dhcp-option DNS 10.9.0.1", "OPENVPN_COLOUR=blue",
                     "trusted_ip=198.18.0.2", "trusted_port=2012", "route_vpn_gateway=10.9.0.1",
                     "route_network_1=192.168.99.0", "script_type=up", "common_name=server"):
            expect(line in env, line, "is not in", env)
        expect((place.folder / "up.args").read_text() == "tun3 1500 0 10.9.0.2 255.255.255.0 init\n")
        expect("script_type=route-up" in (place.folder / "route-up.env").read_text())


@case
def buffers_of_the_servers_choice(place):
    text = SERVER + 'push "rcvbuf 70000"\npush "sndbuf 60000"\n'
    for proto in ("udp", "tcp"):
        with place.server(text.replace("proto udp", f"proto {proto}"), proto), \
             place.native(CLIENT.replace("proto udp", f"proto {proto}") + REMOTE) as native:
            native.wait_connected()
            sockets = place.a.run("ss", "-H", "-a", "-n", "-m", f"--{proto}")
            expect("rb140000" in sockets and "tb120000" in sockets, sockets)


@case
def client_moves(place):
    """The server follows a client whose address changed; so do later renegotiations."""
    with place.server(), place.native(CLIENT + REMOTE + "reneg-sec 4\n") as native:
        native.wait_connected()
        traffic.wait_for_ping(place.a, "10.9.0.1")
        place.a.ip("addr", "del", "198.18.0.1/24", "dev", "a0")
        place.a.ip("addr", "add", "198.18.0.9/24", "dev", "a0")
        traffic.wait_for_ping(place.a, "10.9.0.1", 5)
        seen = native.log().count("new keys are in use")
        native.wait_until(lambda: native.log().count("new keys are in use") > seen, "new keys", 20)
        traffic.wait_for_ping(place.a, "10.9.0.1", 5)
        expect(connections(native) == 1, native.log())


@case
def worn_keys(place):
    """reneg-pkts: keys change under a load, and nothing is lost."""
    with place.server(SERVER + "hand-window 4\n"), \
         place.native(CLIENT + REMOTE + "reneg-pkts 1000\nhand-window 4\n") as native:
        native.wait_connected()
        traffic.wait_for_ping(place.a, "10.9.0.1")
        for _ in range(3):
            traffic.tcp_copy(place.a, place.b, "10.9.0.1", os.urandom(3_000_000))
            time.sleep(1)
        native.wait_for_line("new keys are in use", timeout=10)
        traffic.wait_for_ping(place.a, "10.9.0.1")


def preloaded(name, **environment):
    library = PRELOADED / f"{name}.so"
    if not library.exists():
        raise RuntimeError(f"{library} is not built")
    return {"LD_PRELOAD": str(library), **environment}


@case
def a_clock_that_is_not_set(place):
    """It is waited for, with words; once it is set the tunnel begins. Not asked to wait, it fails."""
    clock = place.folder / "clock"
    environment = preloaded("other_clock", TEST_CLOCK=str(clock))
    clock.write_text("20")
    with place.server():
        with place.native(CLIENT + REMOTE, environment=environment) as native:
            native.wait_started()
            why = "the clock here says 1970-01-01 00:00 UTC, and this end's own certificates"
            native.wait_until(lambda: why in (native.notify.last("STATUS") or ""), why, 5)
            time.sleep(2)
            expect(connections(native) == 0 and "peer: " not in native.log(), native.log())
            clock.unlink()
            native.wait_connected()
            expect("the clock is set" in native.log(), native.log())
            expect(why not in native.notify.last("STATUS"), native.notify.last("STATUS"))
        clock.write_text("20")
        with place.native(CLIENT + REMOTE, options=("--clock-wait", "off"),
                          environment=environment) as native:
            native.wait_for_line("and the clock here says 1970-01-01 00:00 UTC; set the clock",
                                 timeout=15)
        with place.native(CLIENT + REMOTE, options=("--clock-wait", "2"),
                          environment=environment) as native:
            native.wait_for_line("nobody has set it (clock-wait), and it is tried all the same",
                                 timeout=15)
            native.wait_for_line("peer: 198.18.0.2:2012")


@case
def an_ipv4_address_where_there_is_only_ipv6(place):
    """It is reached through the network's NAT64, which this end finds; without one that is the reason.
    The far end stands where the NAT64 would translate to."""
    place.a.ip("addr", "flush", "dev", "a0", "scope", "global")
    place.a.ip("addr", "add", "fd00:64::1/64", "dev", "a0", "nodad")
    place.b.ip("addr", "add", "fd00:64::2/64", "dev", "b0", "nodad")
    place.a.ip("route", "add", "64:ff9b::/96", "via", "fd00:64::2")
    place.b.ip("addr", "add", "64:ff9b::c000:221/128", "dev", "lo", "nodad")
    text = CLIENT + "remote 192.0.2.33 2012\n"
    why = "192.0.2.33 is an IPv4 address, this host has a way to IPv6 only, and there is no NAT64"
    with place.server(SERVER.replace("proto udp", "proto udp6\nlocal 64:ff9b::c000:221")):
        with place.native(text) as native:
            native.wait_until(lambda: why in (native.notify.last("STATUS") or ""), why, 40)
        environment = preloaded("slow_resolver", TEST_NAT64="64:ff9b::c000:aa")
        with place.native(text, environment=environment) as native:
            native.wait_connected()
            traffic.wait_for_ping(place.a, "10.9.0.1")
            os.kill(engine_pid(native), signal.SIGUSR1)
            wait_connection(native, 2)
            traffic.wait_for_ping(place.a, "10.9.0.1")


def run_one(function):
    with cases.two_ends() as (pair, folder):
        place = Place(pair, folder)
        try:
            function(place)
        except (AssertionError, OSError, RuntimeError) as error:
            log = place.folder / "client.log"
            raise AssertionError(f"{error}\n{log.read_text()[-3000:] if log.exists() else ''}") from error


def run(wanted):
    """`wanted`: (name, function of a Place). Ends the program."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    cases.run([(name, lambda function=function: run_one(function)) for name, function in wanted],
              options.only)


if __name__ == "__main__":
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    netns.end_on_signals()
    run(CASES)
