#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A site that joins a server, as `tunctl new --type client` writes it and tunctl renders it, against
stock OpenVPN servers 2.5, 2.6 and 2.7: on the native engine in each way that a server may want to
know its clients, and on stock clients of all three.

    client_site.py [--only TEXT]
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import netns  # noqa: E402
import skip  # noqa: E402
import tls_life  # noqa: E402
import traffic  # noqa: E402
from native_peer import BUILD, NativePeer  # noqa: E402
from openvpn_peer import StockPeer, root_of  # noqa: E402
from tls_login import verifier  # noqa: E402

TUNCTL = BUILD / "supervisor" / "tunctl"
SITE = "office"
NATIVE = "native"
SERVER_END = "10.9.0.1"
SIZE = 1_000_000
HEAD = ("dev tun4\nport 2012\nserver 10.9.0.0 255.255.255.0\ntopology subnet\ndh none\n"
        "cert server.crt\nkey server.key\nkeepalive 1 10\n"
        'push "route 192.168.77.0 255.255.255.0"\n')


class Desk:
    """A root with tunctl's files, and a folder to render into."""

    def __init__(self, folder, place):
        self.root, self.place = pathlib.Path(folder), place
        self.keys = self.root / "etc/tunctl/keys" / SITE
        self.rendered = self.root / "rendered"

    def tunctl(self, *words, text=None):
        done = subprocess.run([TUNCTL, "--root", self.root, *words], capture_output=True, text=True,
                              input=text)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def new(self, *words):
        return self.tunctl("new", SITE, "--type", "client", *words)

    def give(self, **files):
        """What the server's admin hands out: a file of the site by a file of the place."""
        for name, source in files.items():
            target = self.keys / name.replace("_", ".")
            target.write_bytes((self.place.folder / source).read_bytes())
            target.chmod(0o600)

    def add(self, *lines):
        site = self.root / "etc/tunctl/sites" / f"{SITE}.toml"
        site.write_text(site.read_text().replace("\n[run]", "\n".join(["", *lines, "", "[run]"]), 1))

    def render(self, engine):
        self.tunctl("check", SITE)
        version = () if engine == NATIVE else ("--for", engine)
        self.tunctl("render", SITE, *version, "--to", str(self.rendered))
        return (self.rendered / f"{SITE}.conf").read_text()


def by_certificate(desk):
    """ca, cert and key, behind tls-crypt; networks behind the server are its to push."""
    desk.new("--remote", "198.18.0.2:2012")
    desk.give(ca_crt="ca.crt", tls_crt="client.crt", tls_key="client.key", tc_key="ta.key")
    desk.add('tls-crypt = "tc.key"', 'verify-x509-name = ["server", "name"]')
    return "proto udp\nca ca.crt\ntls-crypt ta.key\n"


def by_password(desk):
    """A user name and a password, over TCP, behind tls-auth with a digest that is not the usual."""
    desk.new("--remote", "198.18.0.2:2012 tcp", "--auth-user-pass", "--auth", "SHA512")
    desk.give(ca_crt="ca.crt", ta_key="ta.key")
    desk.add('tls-auth = "ta.key"', "key-direction = 1")
    desk.tunctl("credentials", SITE, text="joe\nright\n")
    verifier(desk.place, 'p == "right"')
    return ("proto tcp-server\nca ca.crt\ntls-auth ta.key 0\nauth SHA512\n"
            "verify-client-cert none\nusername-as-common-name\nscript-security 3\n"
            "auth-user-pass-verify ./verify.sh via-env\n")


def fingerprint(place, name):
    shown = subprocess.run(["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", name],
                           cwd=place.folder, check=True, capture_output=True, text=True)
    return shown.stdout.strip().partition("=")[2]


def by_fingerprint(desk):
    """Each end knows the other one's certificate; tls-crypt-v2, and a cipher of the client's."""
    told = desk.new("--remote", "198.18.0.2:2012", "--peer-fingerprint",
                    fingerprint(desk.place, "server.crt"), "--cipher", "CHACHA20-POLY1305")
    own = told.partition("peer-fingerprint ")[2].split()[0]
    desk.give(tc2_key="v2-client.key")
    desk.add('tls-crypt-v2 = "tc2.key"')
    return f"proto udp\npeer-fingerprint {own}\ntls-crypt-v2 v2-server.key\n"


def carries_everything(make, engine, version):
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as name:
        os.chmod(name, 0o755)
        folder = pathlib.Path(name, "place")
        folder.mkdir()
        place = tls_life.Place(pair, folder)
        desk = Desk(f"{name}/root", place)
        server_text = HEAD + make(desk)
        text = desk.render(engine) + "verb 4\nconnect-retry 1 2\n"
        peer = NativePeer if engine == NATIVE else \
            lambda *rest: StockPeer(engine, *rest)
        with place.server(server_text, version=version) as server, \
             peer(place.a, desk.rendered, text) as client:
            try:
                traffic.wait_for_ping(place.a, SERVER_END, 25.0)
                traffic.ping_sizes(place.a, SERVER_END)
                data = os.urandom(SIZE)
                traffic.tcp_copy(place.a, place.b, SERVER_END, data)
                assert "192.168.77.0/24" in place.a.ip("route"), place.a.ip("route")
                assert SITE in place.a.ip("link")
            except (AssertionError, OSError) as error:
                raise AssertionError(f"{error}\n--- client:\n{text}{client.log()[-3000:]}\n--- "
                                     f"server:\n{server_text}{server.log()[-3000:]}") from None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    netns.end_on_signals()
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    for version in ("2.5", "2.6", "2.7"):
        root_of(version)
    tests = [(by_certificate, NATIVE, "2.6"), (by_certificate, NATIVE, "2.5"),
             (by_password, NATIVE, "2.5"), (by_password, NATIVE, "2.7"),
             (by_fingerprint, NATIVE, "2.7"), (by_fingerprint, NATIVE, "2.6"),
             (by_certificate, "2.5", "2.6"), (by_password, "2.6", "2.6"),
             (by_fingerprint, "2.7", "2.6")]
    cases.run([(f"{make.__name__.replace('_', ' ')}, {engine} to {version}",
                lambda test=(make, engine, version): carries_everything(*test))
               for make, engine, version in tests], options.only)


if __name__ == "__main__":
    main()
