# SPDX-License-Identifier: Apache-2.0
"""Two machines with tunctl installed and one site between them, as an admin sets them up.

    [a] 10.0.0.1 ==== veth ==== 10.0.0.2 [b]        site-a: 10.8.0.1 <-> 10.8.0.2
"""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

import hosts

BUILD = pathlib.Path(os.environ.get("TUNCTL_BUILD_DIR", hosts.TREE / "build" / "dev"))
SITE = "site-a"
UNIT = f"tunctl@{SITE}.service"
FAR = "10.8.0.2"  # as a sees b


@contextlib.contextmanager
def stage():
    """A staged install of the build for /usr/local, as `bootstrap install` makes it."""
    with tempfile.TemporaryDirectory(prefix="tct-stage-") as folder:
        subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr/local"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": folder})
        yield pathlib.Path(folder)


class SiteHost(hosts.Host):
    """A host with tunctl on it."""

    def __init__(self, name, folder):
        super().__init__(name, binds=(hosts.TREE, folder))
        self.folder = folder
        self.run(str(hosts.TREE / "cmake" / "place"), "install", "/usr/local", str(folder))

    def tunctl(self, *words, **options):
        return self.run("tunctl", *words, **options)

    def uninstall(self):
        return self.run(str(hosts.TREE / "cmake" / "place"), "uninstall", "/usr/local")

    def show(self, name, unit=UNIT):
        return self.run("systemctl", "show", "--value", "-p", name, unit).strip()

    def main_pid(self, unit=UNIT):
        return int(self.show("MainPID", unit))

    def engine_pid(self):
        """The process that carries the packets: the main one, or stock below its guard."""
        main = self.main_pid()
        child = self.run("pgrep", "-P", str(main), "openvpn", check=False).stdout.split()
        return int(child[0]) if child else main

    def status(self, site=SITE):
        """The one site's object of `tunctl status --json`, whatever the exit status."""
        done = self.tunctl("status", "--json", site, check=False)
        try:
            answer = json.loads(done.stdout)
        except ValueError as error:
            raise hosts.HostError(f"status --json: {error}\n{done.stdout}{done.stderr}") from error
        return answer["sites"][0]

    def journal(self, unit=UNIT):
        return self.run("journalctl", "--no-pager", "-o", "cat", "-u", unit)

    def wait_for_ping(self, address=FAR, timeout=30.0):
        self.wait_for(f"ping -c 1 -W 1 {address}", timeout)

    def seconds_until_back(self, old_pid, address=FAR, timeout=40.0):
        """How long until another main process has the unit and traffic flows."""
        start = time.monotonic()
        self.wait_for(f'p=$(systemctl show --value -p MainPID {UNIT}); [ "$p" != 0 ] &&'
                      f' [ "$p" != {old_pid} ] && ping -c 1 -W 1 {address}', timeout)
        return time.monotonic() - start

    def stays_failed(self, seconds=2.5, unit=UNIT):
        """Waits until the unit has failed; True if nobody starts it again after that."""
        self.wait_for(f"systemctl is-failed {unit}")
        restarts = self.show("NRestarts", unit)
        time.sleep(seconds)
        return self.show("ActiveState", unit) == "failed" and self.show("NRestarts", unit) == restarts

    def edit_site(self, expression, site=SITE):
        self.run("sed", "-i", expression, f"/etc/tunctl/sites/{site}.toml")


def make_site(a, b, *options):
    """A static key: `new` on a, the far end carried over to b in one pipe; nothing is started."""
    a.tunctl("new", SITE, "--mode", "static-key", "--remote", "10.0.0.2", "--far-remote", "10.0.0.1", "--ifconfig",
             "10.8.0.1", FAR, "--cpus", "0", *options)
    b.tunctl("import", "-", "--as", SITE, input=a.tunctl("render", SITE, "--far-end", "--stdout"))


def hosts_of(test_class):
    """Two hosts that end with a test class."""
    pair = two_hosts()
    a, b = pair.__enter__()
    test_class.addClassCleanup(pair.__exit__, None, None, None)
    return a, b


def hosts_with_site(test_class, *options):
    """The same with the site of make_site() up and enabled on both."""
    a, b = hosts_of(test_class)
    make_site(a, b, *options)
    b.tunctl("enable", "--now", SITE, check=False)  # the far end is not there yet
    a.tunctl("enable", "--now", SITE)
    a.wait_for_ping()
    return a, b


@contextlib.contextmanager
def two_hosts():
    with stage() as folder, SiteHost(f"tct-{os.getpid()}-a", folder) as a, \
         SiteHost(f"tct-{os.getpid()}-b", folder) as b:
        hosts.link(a, b)
        yield a, b
