# SPDX-License-Identifier: Apache-2.0
"""Disposable hosts with a systemd of their own (tests/tools/testhost), as context managers."""

import os
import pathlib
import re
import subprocess
import time

import netns

_TESTHOST = pathlib.Path(__file__).parents[1] / "tools" / "testhost"
TREE = pathlib.Path(__file__).resolve().parents[2]
# What the machine itself may have of tunctl, and its keys, stay out of the hosts.
OURS = ("/etc/tunctl", "/var/lib/tunctl", "/usr/local/bin/tunctl", "/usr/local/sbin/tunctl-fastpath",
        "/usr/local/libexec/tunctl-helper", "/usr/local/share/tunctl")


class HostError(AssertionError):
    """A command in a host failed; what it said is in the message."""


def _testhost(*words, **options):
    return subprocess.run([_TESTHOST, *words], text=True, capture_output=True, **options)


def _checked(done, what):
    if done.returncode != 0:
        raise HostError(f"{what}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def remove_stale():
    """Hosts whose test was killed before it could take them down."""
    for name in _testhost("list").stdout.split():
        found = re.fullmatch(r"tct-(\d+)-.*", name)
        if found and not os.path.exists(f"/proc/{found[1]}"):
            _testhost("down", name)


class Host:
    """One host without tunctl. The tree is mounted read-only at its own place in it."""

    def __init__(self, name, root=os.environ.get("TUNCTL_TESTHOST_ROOT"), binds=(TREE,)):
        remove_stale()
        self.name = name
        self._binds = [word for folder in binds for word in ("--bind", str(folder))]
        where = ["--root", str(root)] if root else []
        for path in OURS:
            where += ["--without", path]
        try:
            _checked(_testhost("up", name, *where, *self._binds), f"{name} up")
        except BaseException:  # Ctrl-C too: a boot that was cut short leaves its host half made
            self.close()
            raise

    def run(self, *command, check=True, input=None, timeout=120):
        """The command's output (stdout); with check=False the whole CompletedProcess."""
        done = _testhost("run", self.name, *command, input=input, timeout=timeout)
        return _checked(done, f"{self.name}: {' '.join(command)}") if check else done

    def shell(self, script, **options):
        return self.run("sh", "-c", script, **options)

    def write(self, path, text):
        self.run("sh", "-c", 'mkdir -p "$(dirname "$1")" && cat >"$1"', "sh", path, input=text)

    def pid(self):
        return int(_checked(_testhost("pid", self.name), f"{self.name} pid"))

    def socket(self, family, kind, protocol=0):
        """A socket of the host's network, for use by this very process."""
        return netns.socket_in(f"/proc/{self.pid()}/ns/net", family, kind, protocol)

    def reboot(self, *options):
        """Options as testhost's: "--read-only-etc", "--no-wait". Links must be made again."""
        _checked(_testhost("reboot", self.name, *options, *self._binds), f"{self.name} reboot")

    def wait_for(self, script, timeout=30.0):
        """Repeats a shell command until it succeeds."""
        end = time.monotonic() + timeout
        while True:
            done = self.shell(script, check=False)
            if done.returncode == 0:
                return done.stdout
            if time.monotonic() > end:
                _checked(done, f"{self.name}: not within {timeout:g} s: {script}")
            time.sleep(0.1)

    def close(self):
        _testhost("down", self.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def link(a, b, addresses=(("10.0.0.1", "fd00::1"), ("10.0.0.2", "fd00::2")), device="eth1"):
    """Joins two hosts by a veth pair, the same device name at both ends, and gives addresses."""
    _checked(_testhost("link", a.name, device, b.name, device), "link")
    for host, (v4, v6) in zip((a, b), addresses):
        host.shell(f"ip addr add {v4}/24 dev {device} && ip addr add {v6}/64 dev {device} nodad"
                   f" && ip link set {device} up")
