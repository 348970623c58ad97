#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a machine goes through around a tunnel: boots, a read-only /etc, a far end that is away,
uninstalling. The same disk is booted again each time.
"""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import hosts  # noqa: E402
import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import SITE, UNIT  # noqa: E402

# Where an install may write, without what a running machine changes by itself.
_FILES = ("find /etc /usr /var /opt /srv -xdev \\( -path /var/log -o -path /var/lib/systemd"
          " -o -path /var/cache -o -path /var/tmp \\) -prune -o ! -type d -print")


class MachineLife(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_with_site(cls)

    def test_1_it_is_up_again_after_a_reboot(self):
        self.a.reboot()
        hosts.link(self.a, self.b)
        self.a.wait_for_ping()
        self.assertEqual(self.a.status()["health"], "up")

    def test_2_a_read_only_etc_keeps_nothing_down(self):
        self.a.reboot("--read-only-etc")
        hosts.link(self.a, self.b)
        self.a.wait_for_ping()
        self.assertNotEqual(self.a.shell("touch /etc/x", check=False).returncode, 0)
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()

    def test_3_a_far_end_that_is_away_does_not_hold_up_the_boot(self):
        self.b.tunctl("stop", SITE)
        self.a.reboot()
        self.a.wait_for("systemctl is-active multi-user.target", timeout=20)
        self.a.wait_for(f"systemctl is-active {UNIT}", timeout=10)
        done = self.a.tunctl("--timeout", "1", "wait-online", SITE, check=False)
        self.assertEqual(done.returncode, 124, done.stderr)
        hosts.link(self.a, self.b)
        self.b.tunctl("start", SITE)
        self.a.wait_for_ping()

    def test_4_a_bare_systemctl_enable_is_enough(self):
        self.a.tunctl("disable", "--now", SITE)
        self.a.run("systemctl", "enable", UNIT)
        self.a.reboot()
        hosts.link(self.a, self.b)
        self.a.wait_for_ping()

    def test_5_installing_over_a_running_version_leaves_the_tunnel_up(self):
        pid = self.a.main_pid()
        place = str(hosts.TREE / "cmake" / "place")
        self.a.run(place, "install", "/usr/local", str(self.a.folder))
        self.assertEqual(self.a.main_pid(), pid)
        self.a.wait_for_ping(timeout=3)

    def test_6_uninstall_leaves_the_files_as_they_were(self):
        with site_hosts.stage() as folder, \
             hosts.Host(f"{self.a.name}-c", binds=(hosts.TREE, folder)) as fresh:
            fresh.shell(f"{_FILES} | sort > /run/before")
            place = str(hosts.TREE / "cmake" / "place")
            fresh.run(place, "install", "/usr/local", str(folder))
            fresh.run("tunctl", "new", SITE, "--mode", "static-key", "--remote", "10.0.0.2")
            fresh.run("tunctl", "--timeout", "2", "enable", "--now", SITE, check=False)
            fresh.shell(f"{_FILES} | grep -x /usr/local/bin/tunctl")
            fresh.run("tunctl", "disable", "--now", SITE)
            fresh.run("tunctl", "remove", SITE)
            fresh.run(place, "uninstall", "/usr/local")
            # Compared there: the list of a large system takes more memory than a small one has.
            fresh.shell(f"{_FILES} | sort > /run/after")
            self.assertEqual(fresh.shell("diff /run/before /run/after", check=False).stdout, "")


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main(failfast=True)
