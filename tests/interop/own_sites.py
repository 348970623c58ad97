#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two machines of one's own without a shared secret: each end is made by the commands that the other
one printed, and its rendered config runs on the native engine or on stock OpenVPN 2.6 and 2.7, in
both roles of TLS. A wrong fingerprint is told at both ends, and a server that was killed calls its
peer, which would go on with a session that nobody knows until it misses the pings. With an authority
in place of the fingerprints (mode pki) stock OpenVPN 2.5 is a far end as well.

    own_sites.py [--only TEXT]
"""

import argparse
import contextlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import cases  # noqa: E402
import netns  # noqa: E402
import pki  # noqa: E402
import skip  # noqa: E402
import traffic  # noqa: E402
from native_peer import BUILD, NativePeer  # noqa: E402
from openvpn_peer import StockPeer, root_of  # noqa: E402

TUNCTL = BUILD / "supervisor" / "tunctl"
SITE = "site-a"
A, B = "10.8.0.1", "10.8.0.2"  # in the tunnel
SIZE = 2_000_000
NATIVE = "native"
# Engines of the end that is made first and of the other one, and the first one's role.
CASES = [(near, far, role) for near, far in ((NATIVE, NATIVE), (NATIVE, "2.6"), (NATIVE, "2.7"),
                                             ("2.6", NATIVE), ("2.7", NATIVE))
         for role in ("server", "client", "both call")]
# The same with an authority, and what else the site says.
PKI_CASES = [(NATIVE, NATIVE, "server", ()), (NATIVE, NATIVE, "client", ("tls-auth",)),
             (NATIVE, "2.5", "server", ("tls-auth",)), (NATIVE, "2.5", "client", ()),
             (NATIVE, "2.6", "server", ("tls-crypt",)), (NATIVE, "2.6", "client", ("name",)),
             (NATIVE, "2.7", "server", ("cipher",)), (NATIVE, "2.7", "client", ("tls-crypt",)),
             ("2.5", NATIVE, "server", ("cipher",)), ("2.6", NATIVE, "client", ("tls-auth",)),
             ("2.7", NATIVE, "both call", ("tls-crypt", "name"))]


class Machine:
    """A root with tunctl's files, and a folder to render into."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.rendered = self.root / "rendered"
        self.rendered.mkdir(parents=True)

    def tunctl(self, *words):
        done = subprocess.run([TUNCTL, "--root", self.root, *words], capture_output=True, text=True)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def render(self, engine, *words):
        version = () if engine == NATIVE else ("--for", engine)
        self.tunctl("render", SITE, *version, *words, "--to", str(self.rendered))
        return (self.rendered / f"{SITE}.conf").read_text()


def far_command(text):
    return shlex.split(re.search(r"next, far end:  tunctl (.*)", text)[1])


def make_first(machine, role, addresses):
    """`new` at the first end. Returns what it printed."""
    here, there = addresses
    words = {"server": ("--far-remote", here), "client": ("--remote", there),
             "both call": ("--far-remote", here, "--remote", there)}[role]
    return machine.tunctl("new", SITE, *words)


def make_far_by_hand(near, folder, engine):
    """As the head of the far end's file says, word for word."""
    near.tunctl("render", SITE, "--far-end", "--for", engine, "--to", str(folder))
    text = (folder / f"{SITE}.conf").read_text()
    steps = [line.removeprefix("#   ") for line in text.splitlines() if line.startswith("#   ")]
    make, show, trust = [step for step in steps if not step.startswith("tunctl new")]
    subprocess.run(shlex.split(make), cwd=folder, check=True, capture_output=True)
    shown = subprocess.run(shlex.split(show), cwd=folder, check=True, capture_output=True, text=True)
    near.tunctl(*[shown.stdout.strip() if word == "FINGERPRINT" else word
                  for word in shlex.split(trust)[1:]])
    assert (folder / f"{SITE}.key").stat().st_mode & 0o077 == 0
    return text


def texts_of(near, far, case, addresses):
    """The configs of both ends, each in its machine's folder with what it names."""
    near_engine, far_engine, role = case
    printed = make_first(near, role, addresses)
    if far_engine == NATIVE:
        near.tunctl(*far_command(far.tunctl(*far_command(printed))))
        far_text = far.render(NATIVE)
    else:
        far_text = make_far_by_hand(near, far.rendered, far_engine)
    return near.render(near_engine), far_text


def certificates(folder):
    """ca.* and, signed by it, server.* and client.*, each for its role of TLS; ta.key beside them."""
    pki.make_pair(folder)
    pki.wrap_keys(folder)
    return pathlib.Path(folder)


def give(files, role, folder, name="tls"):
    for word in ("crt", "key"):
        target = folder / f"{name}.{word}"
        target.write_bytes((files / f"{role}.{word}").read_bytes())
        target.chmod(0o600)


def pki_lines(more, role, other):
    """What a site file says beside what `new --mode pki` writes."""
    lines = {"tls-crypt": ['tls-crypt = "ta.key"'],
             "tls-auth": ['tls-auth = "ta.key"', f"key-direction = {int(role == 'client')}"],
             "cipher": ['data-ciphers = ["CHACHA20-POLY1305"]'],
             "name": [f'verify-x509-name = ["{other}", "name"]']}
    return [line for word in more for line in lines[word]]


def add_lines(machine, lines):
    site = machine.root / "etc/tunctl/sites" / f"{SITE}.toml"
    site.write_text(site.read_text().replace("keepalive =", "\n".join([*lines, "keepalive ="]), 1))


def pki_texts_of(near, far, case, addresses, files):
    near_engine, far_engine, role, more = case
    here, there = addresses
    words = {"server": ("--far-remote", here), "client": ("--remote", there),
             "both call": ("--far-remote", here, "--remote", there)}[role]
    role, other = ("client", "server") if role == "client" else ("server", "client")
    near.tunctl("new", SITE, "--mode", "pki", "--role", role, *words)
    add_lines(near, pki_lines(more, role, other))
    keys = near.root / "etc/tunctl/keys" / SITE
    give(files, role, keys)
    for name in ("ca.crt", "ta.key"):
        (keys / name).write_bytes((files / name).read_bytes())
        (keys / name).chmod(0o600)
    version = () if far_engine == NATIVE else ("--for", far_engine)
    near.tunctl("render", SITE, "--far-end", *version, "--to", str(far.rendered))
    give(files, other, far.rendered, SITE)
    near.tunctl("check", SITE)
    return near.render(near_engine), (far.rendered / f"{SITE}.conf").read_text()


def peer(engine, namespace, folder, text, keepalive="1 10"):
    text = text.replace("keepalive 10 60", f"keepalive {keepalive}") + "verb 4\n"
    if engine == NATIVE:
        return NativePeer(namespace, folder, text)
    return StockPeer(engine, namespace, folder, text + "connect-retry 1 2\n")


@contextlib.contextmanager
def machines():
    with netns.Pair() as pair, tempfile.TemporaryDirectory(prefix="tct-") as name:
        os.chmod(name, 0o755)
        yield pair, Machine(f"{name}/near"), Machine(f"{name}/far")


def carries_everything(case):
    with machines() as (pair, near, far):
        carry_everything(pair, near, far, case, texts_of(near, far, case, pair.addresses4))


def carries_everything_by_authority(case):
    with machines() as (pair, near, far), tempfile.TemporaryDirectory(prefix="tct-") as name:
        texts = pki_texts_of(near, far, case, pair.addresses4, certificates(name))
        carry_everything(pair, near, far, case, texts)


def a_stranger_of_the_same_authority_is_told(case):
    """The far end's certificate is for the wrong role of TLS, or names somebody else."""
    with machines() as (pair, near, far), tempfile.TemporaryDirectory(prefix="tct-") as name:
        files = certificates(name)
        near_text, far_text = pki_texts_of(near, far, case, pair.addresses4, files)
        if "name" in case[3]:
            near_text = re.sub("(?m)^verify-x509-name .*", "verify-x509-name nobody name", near_text)
        else:
            give(files, "server", far.rendered, SITE)
        with peer(NATIVE, pair.a, near.rendered, near_text) as first, \
             peer(NATIVE, pair.b, far.rendered, far_text):
            first.wait_for_line("verify-x509-name wants" if "name" in case[3] else
                                "unsuitable certificate purpose",
                                timeout=20)


def carry_everything(pair, near, far, case, texts):
    near_text, far_text = texts
    with peer(case[0], pair.a, near.rendered, near_text) as first, \
         peer(case[1], pair.b, far.rendered, far_text) as second:
        try:
            traffic.wait_for_ping(pair.a, B, 25.0)
            traffic.ping_sizes(pair.a, B)
            traffic.ping_sizes(pair.b, A)
            data = os.urandom(SIZE)
            traffic.tcp_copy(pair.a, pair.b, B, data)
            traffic.tcp_copy(pair.b, pair.a, A, data)
        except (AssertionError, OSError) as error:
            raise AssertionError(f"{error}\n--- near:\n{near_text}{first.log()[-3000:]}\n--- far:"
                                 f"\n{far_text}{second.log()[-3000:]}") from None


def other_fingerprint(text):
    """The config with another fingerprint in place of the peer's."""
    return re.sub(r"(?m)^(peer-fingerprint )..", r"\g<1>00", text)


def wrong_fingerprint_is_told(case):
    """The first end trusts somebody else: it says whom it was shown, and the other end what to do."""
    with machines() as (pair, near, far):
        near_text, far_text = texts_of(near, far, case, pair.addresses4)
        shown = re.search(r"(?m)^peer-fingerprint (\S+)", near_text)[1]
        with peer(NATIVE, pair.a, near.rendered, other_fingerprint(near_text)) as first, \
             peer(NATIVE, pair.b, far.rendered, far_text) as second:
            first.wait_for_line(f"its SHA-256 fingerprint {shown} is not in peer-fingerprint",
                                timeout=20)
            second.wait_for_line("the peer refused our certificate; its log says why "
                                 "(peer-fingerprint there?)", timeout=20)


def a_killed_server_is_back_at_once(case):
    with machines() as (pair, near, far):
        near_text, far_text = texts_of(near, far, case, pair.addresses4)
        with peer(case[1], pair.b, far.rendered, far_text, "10 60"):
            with peer(NATIVE, pair.a, near.rendered, near_text, "10 60") as first:
                traffic.wait_for_ping(pair.a, B, 25.0)
                # Packets flow before the main thread has said so, and noted where the peer is.
                first.wait_for_line("Initialization Sequence Completed")
                traffic.wait_for_ping(pair.a, B, 5.0)
                os.kill(first.pid, signal.SIGKILL)
            with peer(NATIVE, pair.a, near.rendered, near_text, "10 60") as second:
                second.wait_for_line("is called there", timeout=5)
                traffic.wait_for_ping(pair.a, B, 10.0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    netns.end_on_signals()
    skip.need("root", "tun", "netns", "mounts", "program:openvpn", "program:openssl")
    for version in ("2.5", "2.6", "2.7"):
        root_of(version)
    tests = [(f"{near} with {far}, {role}", carries_everything, (near, far, role))
             for near, far, role in CASES]
    tests += [(f"wrong fingerprint at the {role}", wrong_fingerprint_is_told, (NATIVE, NATIVE, role))
              for role in ("server", "client")]
    tests += [(f"pki, {near} with {far}, {role}, {' '.join(more)}", carries_everything_by_authority,
               (near, far, role, more)) for near, far, role, more in PKI_CASES]
    tests += [(f"pki, stranger by {word or 'role'}", a_stranger_of_the_same_authority_is_told,
               (NATIVE, NATIVE, "server", (word,) if word else ())) for word in ("", "name")]
    tests += [(f"killed server, {far} calls", a_killed_server_is_back_at_once,
               (NATIVE, far, "server")) for far in (NATIVE, "2.6", "2.7")]
    cases.run([(title, lambda test=test, case=case: test(case)) for title, test, case in tests],
              options.only)


if __name__ == "__main__":
    main()
