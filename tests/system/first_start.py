#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts that cannot succeed yet, or not at all, on either engine: no tun device, and
ready = "connected" while the far end is away.
"""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import SITE, UNIT  # noqa: E402


class FirstStart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_of(cls)

    def site(self, engine):
        site_hosts.make_site(self.a, self.b, "--engine", engine)
        for host in (self.a, self.b):
            self.addCleanup(host.tunctl, "remove", SITE)

    def without_tun(self, engine):
        self.site(engine)
        self.a.shell("umount /dev/net/tun 2>/dev/null; rm -f /dev/net/tun")
        self.addCleanup(self.a.shell, "mknod -m 666 /dev/net/tun c 10 200")
        self.a.run("systemctl", "start", UNIT, check=False)
        self.assertTrue(self.a.stays_failed())
        self.assertEqual(self.a.show("ExecMainStatus"), "78")
        self.assertIn("/dev/net/tun", self.a.status()["cause"])

    def ready_connected(self, engine):
        self.site(engine)
        self.a.edit_site(r's/^\[run\]/&\nready = "connected"\nready-timeout = 8/')
        start = time.monotonic()
        done = self.a.run("systemctl", "start", UNIT, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertGreater(time.monotonic() - start, 7.0)
        self.assertEqual(self.a.show("ActiveState"), "activating")  # the next try is on its way
        self.assertIn("was not heard within", self.a.status()["cause"])
        self.b.run("systemctl", "start", UNIT, check=False)
        self.b.wait_for(f"systemctl is-active {UNIT}")
        self.a.wait_for(f"systemctl is-active {UNIT}", 60)
        status = self.a.status()
        # After some tries in vain it may still count as one that keeps failing.
        self.assertIn(status["health"], ("up", "degraded"), f"{status}\n{self.a.journal()[-1500:]}")

    def test_no_tun_device_fastpath(self):
        self.without_tun("fastpath")

    def test_no_tun_device_openvpn(self):
        self.without_tun("openvpn")

    def test_ready_connected_fastpath(self):
        self.ready_connected("fastpath")

    def test_ready_connected_openvpn(self):
        self.ready_connected("openvpn")


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main()
