# SPDX-License-Identifier: Apache-2.0
"""Network namespaces of a test's own, and programs that run in them.

    tct-PID-N-a                                     tct-PID-N-b
    a0  198.18.0.1/24  fd00:18::1/64  ==== veth ====  b0  198.18.0.2/24  fd00:18::2/64

Everything is gone when the `with` block ends, also by an exception, Ctrl-C or SIGTERM; should the
test be killed outright, its programs die with it (PR_SET_PDEATHSIG) and the next test that runs
removes the namespaces it left.
"""

import contextlib
import ctypes
import itertools
import os
import re
import signal
import socket
import subprocess
import sys

_libc = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_serial = itertools.count()


def end_on_signals():
    """SIGTERM and SIGHUP unwind like Ctrl-C does, so that every `with` cleans up."""

    def unwind(number, _frame):
        sys.exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, unwind)


def run(*command, check=True):
    """A program's output; CalledProcessError with its words in it when it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def die_with_parent():
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _alive(pid):
    return os.path.exists(f"/proc/{pid}")


def remove_stale():
    """Namespaces whose test is dead."""
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/run/netns"):
            found = re.fullmatch(r"tct-(\d+)-.*", name)
            if found and not _alive(found[1]):
                run("ip", "netns", "del", name, check=False)


class Namespace:
    """One namespace with its loopback up. Use as a context manager."""

    def __init__(self, name):
        self.name = name
        self._children = []
        run("ip", "netns", "add", name)
        self.ip("link", "set", "lo", "up")

    @property
    def path(self):
        return f"/run/netns/{self.name}"

    def prefix(self):
        """The words that run a program in here."""
        return ["nsenter", f"--net={self.path}", "--"]

    def ip(self, *words):
        return run("ip", "-n", self.name, *words)

    def run(self, *command, check=True):
        return run(*self.prefix(), *command, check=check)

    def start(self, command, **options):
        """A child that dies with us and is stopped, by its pid, when the namespace goes."""
        child = subprocess.Popen([*self.prefix(), *command], preexec_fn=die_with_parent, **options)
        self._children.append(child)
        return child

    def socket(self, family, kind, protocol=0):
        """A socket that belongs to this namespace, for use by this very process."""
        return socket_in(self.path, family, kind, protocol)

    def close(self):
        for child in reversed(self._children):
            stop(child)
        run("ip", "netns", "del", self.name, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def socket_in(path, family, kind, protocol=0):
    """A socket of the namespace at `path`, for use by this very process."""
    here = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    there = os.open(path, os.O_RDONLY)
    try:
        _setns(there)
        try:
            return socket.socket(family, kind, protocol)
        finally:
            _setns(here)
    finally:
        os.close(here)
        os.close(there)


class Here:
    """This machine's own network, for tests that stay on loopback and need no right."""

    name = "here"

    def start(self, command, **options):
        return subprocess.Popen(command, preexec_fn=die_with_parent, **options)


def _setns(descriptor):
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def stop(child, patience=3.0):
    """Asks a child to end, and ends it when it does not listen. Returns its exit status."""
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(patience)
        except subprocess.TimeoutExpired:
            child.kill()
    return child.wait()


class Pair:
    """Two namespaces joined as drawn above. Use as a context manager: `with Pair() as (a, b)`."""

    addresses4 = ("198.18.0.1", "198.18.0.2")
    addresses6 = ("fd00:18::1", "fd00:18::2")

    def __init__(self, addresses4=addresses4, mtu=1500):
        self.addresses4 = addresses4
        remove_stale()
        self._stack = contextlib.ExitStack()
        base = f"tct-{os.getpid()}-{next(_serial)}"
        with contextlib.ExitStack() as building:
            self.a = building.enter_context(Namespace(f"{base}-a"))
            self.b = building.enter_context(Namespace(f"{base}-b"))
            run("ip", "link", "add", "a0", "netns", self.a.name, "type", "veth",
                "peer", "name", "b0", "netns", self.b.name)
            for end, device, v4, v6 in zip((self.a, self.b), ("a0", "b0"),
                                           addresses4, self.addresses6):
                end.ip("addr", "add", f"{v4}/24", "dev", device)
                # nodad: the address must be usable at once, not after a second of probing.
                end.ip("addr", "add", f"{v6}/64", "dev", device, "nodad")
                end.ip("link", "set", device, "mtu", str(mtu), "up")
            self._stack = building.pop_all()

    def __iter__(self):
        return iter((self.a, self.b))

    def close(self):
        self._stack.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
