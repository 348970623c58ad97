#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The native engine through HTTP and SOCKS proxies to a stock peer; stock through the same ones, so
that the proxies are known to be good.

    proxy.py [WORDS]     only the cases whose title has WORDS
"""

import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import tcp  # noqa: E402
import traffic  # noqa: E402
from native_peer import NativePeer  # noqa: E402
from openvpn_peer import StockPeer  # noqa: E402
from proxies import HttpProxy, SocksProxy  # noqa: E402

LOGIN = ("Aladdin", "open sesame")
PORT = 3128
CASES = []
case = cases.into(CASES)


def write_login(place, name="login", login=LOGIN):
    path = place.folder / name
    path.write_text("\n".join(login) + "\n")
    path.chmod(0o600)
    return name


def through(place, proxy, *lines, count=1):
    """Native through the proxy to stock, which is called by the proxy and never by native."""
    with tcp.stock(place, "2.6", "proto tcp-server") as b, \
         tcp.native(place, "proto tcp-client", f"remote {place.there4}", *lines) as a, \
         tcp.with_logs(a, b):
        a.wait_connected(20)
        traffic.wait_for_ping(place.pair.a, "10.8.0.2", timeout=20)
        traffic.ping_sizes(place.pair.a, "10.8.0.2")
        traffic.tcp_copy(place.pair.a, place.pair.b, "10.8.0.2", os.urandom(1_000_000))
        traffic.tcp_copy(place.pair.b, place.pair.a, "10.8.0.1", os.urandom(1_000_000))
        tcp.expect(len(proxy.greetings) == count, proxy.greetings)
        return proxy.greetings


@case
def http_without_login(place):
    with HttpProxy(place.pair.b, place.there4, PORT) as proxy:
        greeting, = through(place, proxy, f"http-proxy {place.there4} {PORT}",
                            "http-proxy-option AGENT tester",
                            "http-proxy-option CUSTOM-HEADER X-Test 1")
    tcp.expect("User-Agent: tester\r\n" in greeting and "X-Test: 1\r\n" in greeting, greeting)


@case
def http_basic_from_a_file(place):
    with HttpProxy(place.pair.b, place.there4, PORT, "basic", LOGIN) as proxy:
        through(place, proxy, f"http-proxy {place.there4} {PORT} {write_login(place)} basic")


@case
def http_digest_inline_and_asked_for(place):
    with HttpProxy(place.pair.b, place.there4, PORT, "digest", LOGIN) as proxy:
        greetings = through(
            place, proxy, f"http-proxy {place.there4} {PORT} auto-nct", "<http-proxy-user-pass>",
            *LOGIN, "</http-proxy-user-pass>", count=2)
    tcp.expect("Proxy-Authorization" not in greetings[0], greetings)
    tcp.expect(LOGIN[1] not in greetings[1], greetings)


@case
def socks_without_login(place):
    with SocksProxy(place.pair.b, place.there4, PORT) as proxy:
        through(place, proxy, f"socks-proxy {place.there4} {PORT}")


@case
def socks_with_login(place):
    with SocksProxy(place.pair.b, place.there4, PORT, LOGIN) as proxy:
        through(place, proxy, f"socks-proxy {place.there4} {PORT} {write_login(place)}")


TLS = ("proto tcp\nca ca.crt\ntls-crypt ta.key\nverb 4\ndev {dev}\ncert {name}.crt\n"
       "key {name}.key\n")


@case
def a_tls_client_through_both(place):
    """With renegotiations; and the proxy's end is the connection's."""
    pki.make_pair(place.folder)
    pki.wrap_keys(place.folder)
    server = TLS.format(dev="tun4", name="server") + (
        "server 10.8.0.0 255.255.255.0\ntopology subnet\ndh none\nport 2011\nkeepalive 2 20\n")
    client = TLS.format(dev="tun3", name="client") + (
        f"client\nnobind\nremote-cert-tls server\nremote {place.there4} 2011\nreneg-sec 3\n"
        "connect-retry 1 2\n")
    at, words = f"{place.there4} {PORT}", "\n".join(LOGIN)
    for proxy_type, way, line in ((HttpProxy, ("digest",), f"http-proxy {at} auto-nct\n"
                                   f"<http-proxy-user-pass>\n{words}\n</http-proxy-user-pass>\n"),
                                  (SocksProxy, (), f"socks-proxy {at} {write_login(place)}\n")):
        text = client + line
        with StockPeer("2.6", place.pair.b, place.folder, server) as b, \
             NativePeer(place.pair.a, place.folder, text) as a, tcp.with_logs(a, b):
            with proxy_type(place.pair.b, place.there4, PORT, *way, login=LOGIN):
                a.wait_connected(20)
                traffic.wait_for_ping(place.pair.a, "10.8.0.1")
                traffic.ping_sizes(place.pair.a, "10.8.0.1")
                traffic.tcp_copy(place.pair.a, place.pair.b, "10.8.0.1", os.urandom(1_000_000))
                a.wait_until(lambda: a.log().count("new keys are in use") >= 2, "new keys", 20)
                traffic.tcp_copy(place.pair.b, place.pair.a, "10.8.0.2", os.urandom(1_000_000))
            a.wait_for_line("connection lost", timeout=15)
            a.wait_for_line("failed: Connection refused", timeout=15)
            with proxy_type(place.pair.b, place.there4, PORT, *way, login=LOGIN):
                a.wait_until(lambda: a.log().count("Initialization Sequence Completed") >= 2,
                             "a second connection", 20)
                traffic.wait_for_ping(place.pair.a, "10.8.0.1")


@case
def stock_through_the_same_proxies(place):
    login = write_login(place)
    for proxy_type, way, line in ((HttpProxy, ("basic",), f"http-proxy {{}} {login} basic"),
                                  (SocksProxy, (), f"socks-proxy {{}} {login}")):
        text = tcp.config("10.8.0.1", "10.8.0.2", "proto tcp-client", f"remote {place.there4}",
                          line.format(f"{place.there4} {PORT}"))
        with proxy_type(place.pair.b, place.there4, PORT, *way, login=LOGIN), \
             tcp.stock(place, "2.6", "proto tcp-server") as b, \
             StockPeer("2.6", place.pair.a, place.folder, text, "other") as a, tcp.with_logs(a, b):
            a.wait_connected(20)


@case
def refusals_are_told_and_tried_again(place):
    with tcp.native(place, "proto tcp-client", f"remote {place.there4}",
                    f"http-proxy {place.there4} {PORT} {write_login(place)}") as a, \
         tcp.with_logs(a):
        a.wait_for_line("failed: Connection refused")
        with HttpProxy(place.pair.b, place.there4, PORT, "basic", ("who", "else")):
            a.wait_for_line("the proxy: it does not accept this user name and password")
        with HttpProxy(place.pair.b, place.there4, PORT, "basic", LOGIN):
            a.wait_for_line("the proxy: it answers 502 Bad Gateway to CONNECT", timeout=20)
            with tcp.stock(place, "2.6", "proto tcp-server"):
                a.wait_connected(30)


@case
def a_silent_proxy_costs_no_more_than_connect_timeout(place):
    """And holds neither signals nor the watchdog."""
    with place.pair.b.socket(2, 1) as silent:
        silent.bind((place.there4, PORT))
        silent.listen(8)
        with tcp.native(place, "proto tcp-client", f"remote {place.there4}", "connect-timeout 2",
                        f"http-proxy {place.there4} {PORT}") as a, tcp.with_logs(a):
            start = time.monotonic()
            a.wait_for_line("failed: no answer in time (connect-timeout)")
            tcp.expect(1.5 < time.monotonic() - start < 6, time.monotonic() - start)
            start = time.monotonic()
            netns.stop(a.child)
            tcp.expect(time.monotonic() - start < 1, "stopping took", time.monotonic() - start)


if __name__ == "__main__":
    tcp.main(CASES)
