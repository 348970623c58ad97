#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine's life with a kernel and a stock peer around it: addresses, routes, scripts,
signals, restarts, a peer that moves, rights given up.
"""

import os
import pathlib
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import keys  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402

CRYPTO = "secret static.key\ncipher AES-256-CBC\nauth SHA512\nport 2011\nverb 3\n"
A = "dev tun3\nifconfig 10.8.0.1 10.8.0.2\nifconfig-ipv6 fd77::1/64 fd77::2\n" + CRYPTO
B = "dev tun3\nifconfig 10.8.0.2 10.8.0.1\nifconfig-ipv6 fd77::2/64 fd77::1\n" + CRYPTO
LARGE = 700
CASES = []
case = cases.into(CASES)


class Place:
    """Two namespaces and a folder with the key."""

    def __init__(self, pair, folder):
        self.pair, self.folder = pair, pathlib.Path(folder)
        self.a, self.b = pair
        keys.write_static_key(self.folder / "static.key")

    def native(self, text, name="a", namespace=None, **options):
        return NativePeer(namespace or self.a, self.folder, text, name, **options)

    def stock(self, text, name="b", namespace=None):
        return StockPeer("2.6", namespace or self.b, self.folder, text, name)

    def script(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path


def expect(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def classes_outside(namespace, source, count, send):
    """The types of service of `count` tunnel packets from `source`, which `send` sends one by one."""
    v6 = ":" in source
    outside = namespace.socket(socket.AF_INET6 if v6 else socket.AF_INET, socket.SOCK_RAW,
                               socket.IPPROTO_UDP)
    with outside:
        outside.settimeout(5)
        if v6:
            outside.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS, 1)
        seen = []
        for number in range(count):
            send(number)
            while len(seen) == number:
                data, ancillary, _, address = outside.recvmsg(65536, 256)
                if address[0] != source or len(data) < LARGE:  # pings, and what kernels say
                    continue
                ports = data[:4] if v6 else data[4 * (data[0] & 15):][:4]
                if int.from_bytes(ports[2:], "big") != 2011:
                    continue
                seen.append(int.from_bytes(ancillary[0][2], sys.byteorder) if v6 else data[1])
        return seen


@case
def type_of_service(place):
    """passtos, in what stock sends and in what is sent here; here for IPv6 as well."""
    for here, there, proto in ((*place.pair.addresses4, "udp4"), (*place.pair.addresses6, "udp6")):
        lines = f"proto {proto}\npasstos\ndisable-occ\n"
        with place.native(A + lines + f"remote {there}\n") as a, \
             place.stock(B + lines + f"remote {here}\n"), \
             place.a.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sink_a, \
             place.b.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sink_b:
            for sink in (sink_a, sink_b):  # else what tells of a closed port is seen outside too
                sink.bind(("::", 9))
            a.wait_connected()
            traffic.wait_for_ping(place.a, "10.8.0.2")

            def sender(namespace, target):
                v6 = ":" in target
                inside = namespace.socket(socket.AF_INET6 if v6 else socket.AF_INET,
                                          socket.SOCK_DGRAM)

                def send(number):
                    wanted = (0xb8, 0x20, 0x00, 0xb8)[number]
                    inside.setsockopt(*((socket.IPPROTO_IPV6, socket.IPV6_TCLASS) if v6 else
                                        (socket.IPPROTO_IP, socket.IP_TOS)), wanted)
                    inside.sendto(bytes(LARGE), (target, 9))
                return send

            wanted = [0xb8, 0x20, 0x00, 0xb8]
            got = classes_outside(place.b, here, 4, sender(place.a, "10.8.0.2"))
            expect(got == wanted, proto, "native:", got)
            got = classes_outside(place.b, here, 4, sender(place.a, "fd77::2"))
            expect(got == wanted, proto, "native, IPv6 inside:", got)
            if proto == "udp4":  # stock knows no other
                got = classes_outside(place.a, there, 4, sender(place.b, "10.8.0.1"))
                expect(got == wanted, proto, "stock:", got)


def segment_size(place):
    """What the server of a TCP connection through the tunnel may send, when the client at the near end
    asks for more than the tunnel carries."""
    place.a.ip("route", "change", "10.8.0.2", "dev", "tun3", "src", "10.8.0.1", "advmss", "1450")
    with place.b.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("10.8.0.2", 5555))
        listener.listen(1)
        with place.a.socket(socket.AF_INET, socket.SOCK_STREAM) as client:
            client.settimeout(5)
            client.connect(("10.8.0.2", 5555))
            server, _ = listener.accept()
            with server:
                return server.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)


@case
def link_mtu(place):
    """What it means for interface and segments is what it means to stock."""
    _, there = place.pair.addresses4
    mtu = lambda end: end.ip("link", "show", "tun3").split(" mtu ")[1].split()[0]
    for lines in ("link-mtu 1400\n", "link-mtu 1400\nmssfix\n", "link-mtu 1400\nmssfix 1300\n",
                  "udp-mtu 1500\nfragment 1200\n", "link-mtu 1650\n"):
        fragment = "fragment 1200\n" if "fragment" in lines else ""
        far = B + f"port 2011\nmssfix 0\n{fragment}"
        text = A + f"remote {there}\n{lines}"
        found = []
        for near in (lambda: place.native(text), lambda: StockPeer("2.6", place.a, place.folder, text)):
            with place.stock(far) as b:
                b.wait_started()
                with near() as a:
                    a.wait_connected(20)
                    traffic.wait_for_ping(place.a, "10.8.0.2")
                    traffic.ping_sizes(place.a, "10.8.0.2")
                    found.append((mtu(place.a), segment_size(place)))
        expect(found[0] == found[1], lines, "native and stock:", found)


@case
def ipv6_outside_and_inside(place):
    here, there = place.pair.addresses6
    with place.native(A + f"proto udp6\nremote {there}\n") as a, \
         place.stock(B + f"proto udp6\nremote {here}\n"):
        a.wait_connected()
        traffic.wait_for_ping(place.b, "10.8.0.1")
        traffic.ping_sizes(place.b, "10.8.0.1")
        traffic.tcp_copy(place.a, place.b, "10.8.0.2", os.urandom(3_000_000))
        traffic.tcp_copy(place.b, place.a, "10.8.0.1", os.urandom(3_000_000))
        traffic.tcp_copy(place.a, place.b, "fd77::2", os.urandom(3_000_000))
        traffic.tcp_copy(place.b, place.a, "fd77::1", os.urandom(3_000_000))
        expect(a.status()["auth-failed"] == "0", a.status())


@case
def tcp_with_ip_options(place):
    """Large packets with more in front of TCP than the plain header are cut like all others."""
    padding = bytes([0, 0, 1, 4, 0, 0, 0, 0])  # an IPv6 destination options header of 8 bytes
    options = {"10.8.0.2": (socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([1, 1, 1, 0])),
               "fd77::2": (socket.IPPROTO_IPV6, socket.IPV6_DSTOPTS, padding)}
    here, there = place.pair.addresses4
    with place.native(A + f"remote {there}\n") as a, place.stock(B + f"remote {here}\n"):
        a.wait_connected()
        traffic.wait_for_ping(place.b, "10.8.0.1")
        for address, option in options.items():
            traffic.tcp_copy(place.a, place.b, address, os.urandom(3_000_000), option=option)
        os.kill(a.pid, signal.SIGUSR2)
        a.wait_for_line("status: sealed")
        time.sleep(0.2)
        expect("dropped not-ip" not in a.log(), a.log())


@case
def either_family_reaches_a_responder(place):
    for remote in (place.pair.addresses4[0], place.pair.addresses6[0]):
        proto = "udp6" if ":" in remote else "udp4"
        with place.native(A) as a, place.stock(B + f"proto {proto}\nremote {remote}\n"):
            a.wait_connected()
            traffic.wait_for_ping(place.a, "10.8.0.2")


@case
def a_killed_responder_asks_where_its_peer_was(place):
    # The far end sends no pings, and has been answered: it would stay silent.
    with place.stock(B + f"remote {place.pair.addresses4[0]}\n"):
        with place.native(A) as a:
            a.wait_connected()
            kept = place.folder / "a.state" / "last-peer"
            a.wait_until(kept.exists, "the note of the peer")
            expect(kept.read_text() == f"{place.pair.addresses4[1]} 2011\n", kept.read_text())
            expect(kept.stat().st_mode & 0o777 == 0o600, oct(kept.stat().st_mode))
            os.kill(a.pid, signal.SIGKILL)
            a.child.wait()
        with place.native(A) as a:
            a.wait_connected(timeout=5)
            expect("the peer was last heard at" in a.log(), a.log())
            traffic.wait_for_ping(place.a, "10.8.0.2")


@case
def routes_and_scripts_as_openvpn_runs_them(place):
    note = place.script("note", 'echo "$script_type $# $*" >> "$OUT"\nenv | sort > "$OUT.$script_type"')
    text = (A + f"remote {place.pair.addresses4[1]}\nscript-security 2\nsetenv OUT {place.folder}/out\n"
            + "".join(f"{hook} {note}\n" for hook in ("up", "down", "route-up", "route-pre-down",
                                                      "ipchange"))
            + "route 10.9.0.0 255.255.255.0\nroute-ipv6 fd79::/64\nexplicit-exit-notify 1\n")
    with place.native(text) as a, place.stock(B + f"remote {place.pair.addresses4[0]}\n") as b:
        a.wait_connected()
        expect("10.9.0.0/24 via 10.8.0.2 dev tun3" in place.a.ip("route"), place.a.ip("route"))
        expect("fd79::/64 dev tun3" in place.a.ip("-6", "route"), place.a.ip("-6", "route"))
        expect("mtu 1500" in place.a.ip("link", "show", "tun3"))
        b.wait_connected()
        expect(netns.stop(a.child) == 0, "exit status", a.child.returncode)
        b.wait_for_line("remote-exit", "Inactivity", "SIGUSR1")
    ran = (place.folder / "out").read_text().splitlines()
    arguments = "6 tun3 1500 0 10.8.0.1 10.8.0.2 init"
    expect(ran == [f"up {arguments}", "route-up 0 ",
                   f"ipchange 2 [AF_INET]{place.pair.addresses4[1]} 2011",
                   f"route-pre-down {arguments}", f"down {arguments}"], ran)
    down = (place.folder / "out.down").read_text()
    for line in ("signal=sigterm", "dev=tun3", "ifconfig_local=10.8.0.1", "bytes_received="):
        expect(line in down, line, down)
    expect("tun3" not in place.a.ip("link"), "the device is gone")


@case
def a_failing_up_ends_it(place):
    false = place.script("no", "exit 3")
    with place.native(A + f"script-security 2\nup {false}\n") as a:
        a.wait_until(lambda: a.child.poll() is not None, "its end")
        expect(a.child.returncode == 1, a.child.returncode)
        expect("ended with status 3" in a.log(), a.log())


@case
def signals(place):
    remote = f"remote {place.pair.addresses4[1]}\n"
    with place.native(A + remote) as a, place.stock(B + f"remote {place.pair.addresses4[0]}\n"):
        a.wait_connected()
        os.kill(a.pid, signal.SIGUSR2)
        a.wait_for_line("status: sealed")
        os.kill(a.pid, signal.SIGUSR1)
        a.wait_for_line("SIGUSR1: restarting")
        a.wait_until(lambda: a.log().count("Initialization Sequence Completed") == 2, "second start")
        traffic.wait_for_ping(place.b, "10.8.0.1")
        # A config that is no good leaves the tunnel as it is; a good one takes its place.
        config = place.folder / "a.conf"
        config.write_text(A + remote + "ping soon\n")
        os.kill(a.pid, signal.SIGHUP)
        a.wait_for_line("running on with the one in use")
        traffic.wait_for_ping(place.b, "10.8.0.1")
        config.write_text(A.replace("10.8.0.1", "10.8.0.7") + remote)
        os.kill(a.pid, signal.SIGHUP)
        a.wait_until(lambda: "10.8.0.7" in place.a.ip("addr"), "the new address")
        a.wait_until(lambda: len(a.notify.all("READY")) == 3, "READY after each reload")
        expect(len(a.notify.all("RELOADING")) == 2, a.notify.all("RELOADING"))
        a.wait_connected()


@case
def the_next_remote_after_ping_restart(place):
    here, there = place.pair.addresses4
    # Nobody at the first two; the third is the peer.
    text = (A + f"remote {there} 9\nremote {there} 10\nremote {there} 2011\npersist-tun\n"
            "ping 1\nping-restart 2\n")
    with place.native(text) as a, place.stock(B + f"remote {here}\nping 1\n"):
        a.wait_connected(timeout=30)
        expect(a.log().count("ping-restart: nothing heard") == 2, a.log())
        traffic.wait_for_ping(place.b, "10.8.0.1")


@case
def a_peer_that_comes_back_is_heard_again(place):
    here, there = place.pair.addresses4
    text = A + f"remote {there}\nkeepalive 1 3\npersist-tun\n"
    with place.native(text) as a:
        for _ in range(2):
            with place.stock(B + f"remote {here}\nkeepalive 1 3\n"):
                a.wait_connected(timeout=20)
                traffic.wait_for_ping(place.b, "10.8.0.1")
            a.wait_until(lambda: not a.notify.last("STATUS").startswith("CONNECTED"), "silence", 15)


@case
def a_wrong_key_is_told_by_name(place):
    here, there = place.pair.addresses4
    with place.native(A + f"remote {there}\n") as a:
        a.wait_started()
        keys.write_static_key(place.folder / "static.key")
        with place.stock(B + f"remote {here}\nping 1\n"):
            a.wait_for_line(f"packets from {there}:2011 are dropped: authentication failed: key, "
                            "direction, cipher or auth differ")
            time.sleep(2)
            expect(a.log().count("authentication failed") == 1, a.log())
            expect(a.status()["state"] == "ASSIGN_IP", a.status())


@case
def rights_are_given_up_and_the_way_down_still_works(place):
    here, there = place.pair.addresses4
    place.folder.chmod(0o755)
    text = (A + f"remote {there}\nuser nobody\ngroup nogroup\npersist-key\nwritepid a.pid\n"
            "status a.status 1\nlog a.own-log\n")
    with place.native(text) as a:
        (place.folder / "a.notify").chmod(0o777)  # as systemd's own is
        talk_as_nobody(place, a, here)


def talk_as_nobody(place, a, here):
    with place.stock(B + f"remote {here}\n"):
        a.wait_connected()
        pid = (place.folder / "a.pid").read_text().strip()
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        expect("Uid:\t65534\t65534" in status, status)
        expect("CapEff:\t0000000000001000" in status, "only CAP_NET_ADMIN", status)
        os.kill(int(pid), signal.SIGUSR1)  # keeps the device, which nobody could not make anew
        a.wait_until(lambda: (place.folder / "a.own-log").read_text().count(
            "Initialization Sequence Completed") == 2, "second start")
        traffic.wait_for_ping(place.b, "10.8.0.1")
        expect("TUN/TAP read bytes," in (place.folder / "a.status").read_text())


@case
def a_persistent_device_is_left_as_it_was(place):
    place.a.ip("tuntap", "add", "dev", "tun3", "mode", "tun")
    place.a.ip("addr", "add", "10.77.0.1/32", "dev", "tun3")
    here, there = place.pair.addresses4
    with place.native(A + f"remote {there}\nroute 10.9.0.0 255.255.255.0\n") as a, \
         place.stock(B + f"remote {here}\n"):
        a.wait_connected()
        traffic.wait_for_ping(place.b, "10.8.0.1")
        expect(netns.stop(a.child) == 0)
    after = place.a.ip("addr", "show", "tun3")
    expect("10.77.0.1" in after and "10.8.0.1" not in after and ",UP" not in after, after)


@case
def an_interface_that_is_taken_is_named(place):
    place.a.ip("link", "add", "tun3", "type", "veth", "peer", "name", "x0")
    with place.native(A) as a:
        a.wait_until(lambda: a.child.poll() is not None, "its end")
        expect(a.child.returncode == 1, a.child.returncode)
        expect("interface tun3 exists and is no tun device" in a.log(), a.log())


@case
def a_device_that_somebody_deletes_ends_the_engine(place):
    with place.native(A) as a:
        a.wait_started()
        place.a.ip("link", "del", "tun3")
        a.wait_until(lambda: a.child.poll() is not None, "its end")
        expect(a.child.returncode == 1, a.child.returncode)
        expect("interface tun3 is gone" in a.log(), a.log())


@case
def the_watchdog_is_fed_while_idle_and_status_is_rare(place):
    with place.native(A, watchdog_seconds=2) as a:
        a.wait_started()
        time.sleep(5)
        fed = [when for when, _ in a.notify.all("WATCHDOG")]
        expect(4 <= len(fed) <= 6, len(fed))
        expect(len(a.notify.all("STATUS")) <= 5, a.notify.all("STATUS"))
        rss = [line for line in pathlib.Path(f"/proc/{a.pid}/status").read_text().splitlines()
               if line.startswith("VmRSS")][0]
        expect(int(rss.split()[1]) <= 16 * 1024, rss)


@case
def a_route_that_covers_the_peer_is_told_of_and_floods_nothing(place):
    """Whatever the engine sends to the peer the kernel hands back to it, through its own tunnel."""
    why = "a route leads what is sent to the peer"
    for there, proto, route in ((place.pair.addresses4[1], "udp4", "route {}"),
                                (place.pair.addresses6[1], "udp6", "route-ipv6 {}/128")):
        lines = f"proto {proto}\nremote {there}\nping 1\n{route.format(there)}\n"
        with place.native(A + lines) as a:
            a.wait_until(lambda: why in (a.notify.last("STATUS") or ""), "its reason in status")
            time.sleep(3)
            a.wait_until(lambda: int(a.status().get("drop.own-packet", 0)) >= 2, "its counter")
            expect(int(a.status()["tx"]) < 10000, a.notify.last("STATUS"))
            expect(a.log().count(why) == 1, a.log())


@case
def ready_connected_waits_for_the_peer(place):
    here, there = place.pair.addresses4
    with place.native(A + f"remote {there}\n", options=("--ready", "connected")) as a:
        time.sleep(1)
        expect(a.notify.last("READY") is None, "READY came too early")
        with place.stock(B + f"remote {here}\n"):
            a.wait_started()


def run_one(function):
    with cases.two_ends(("10.0.0.1", "10.0.0.2")) as (pair, folder):
        function(Place(pair, folder))


def main():
    skip.need("root", "tun", "netns", "mounts", "program:openvpn")
    netns.end_on_signals()
    cases.run([(title, lambda function=function: run_one(function)) for title, function in CASES],
              " ".join(sys.argv[1:]))


if __name__ == "__main__":
    main()
