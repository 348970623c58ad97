#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A live link with a static key becomes one of fingerprints, as the manual says it, under a ping
every 10 ms whose losses are counted; it survives a boot, is undone, goes back by itself where only
one end switches, and where a machine is booted in the middle.
"""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import FAR, SITE, UNIT  # noqa: E402

NOTE = f"/var/lib/tunctl/.migrating/{SITE}.json"
TRIAL = f"/run/tunctl/.trial/{SITE}.toml"
SITE_FILE = f"/etc/tunctl/sites/{SITE}.toml"
WAIT = 10  # seconds
LEAD = 15  # until the agreed moment
PING_INTERVAL = 0.01
LOST_MAX = 1500  # 15 s, on a busy machine
STANDS = f"grep -q '\"stands\": true' {NOTE} && ! test -e {TRIAL}"
HAS_LEFT = f"! test -e {TRIAL} && grep -q '\"trial-since\": 0' {NOTE}"


def printed(text):
    """The command that one end printed for the other, as a person would paste it."""
    return re.search(r"next, far end:  (tunctl .*)", text)[1]


class KeyMigrate(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_of(cls)
        site_hosts.make_site(cls.a, cls.b)
        cls.a.edit_site("s/^keepalive.*/keepalive = [1, 5]/")
        cls.b.run("sed", "-i", "s/^keepalive.*/keepalive 1 5/", f"/etc/tunctl/ovpn/{SITE}.conf")
        cls.b.tunctl("--timeout", "1", "enable", "--now", SITE, check=False)
        cls.a.tunctl("--timeout", "30", "enable", "--now", SITE)
        cls.a.wait_for_ping()
        cls.before = [host.shell(f"cat {SITE_FILE}") for host in (cls.a, cls.b)]

    def prepare(self):
        a, b = self.a, self.b
        first = a.tunctl("key", "migrate", SITE)
        second = b.shell(printed(first))
        third = a.shell(printed(second))
        for text in (first, second, third):
            self.assertNotIn("-----BEGIN", text)
        self.assertEqual([host.shell(f"cat {SITE_FILE}") for host in (a, b)], self.before)

    def agree(self, *hosts):
        at = self.a.shell(f"date -u -d '+{LEAD} seconds' +%FT%TZ").strip()
        for host in hosts:
            host.tunctl("key", "migrate", SITE, "--wait", str(WAIT), "--at", at)
        for host in hosts:
            host.wait_for(f"test -e {TRIAL}", LEAD + 10)

    def is_static(self, host):
        return re.search(r"(?m)^<?secret", host.tunctl("render", SITE)) is not None

    def assert_static_again(self):
        for host, text in zip((self.a, self.b), self.before):
            self.assertTrue(self.is_static(host))
            self.assertEqual(host.shell(f"cat {SITE_FILE}"), text)
        self.a.wait_for_ping()

    def test_1_under_a_ping(self):
        a, b = self.a, self.b
        self.prepare()
        a.run("systemd-run", "--quiet", "--unit=pings", "sh", "-c",
              f"exec ping -q -i {PING_INTERVAL} {FAR} >/tmp/pings")
        self.agree(a, b)
        for host in (a, b):
            host.wait_for(STANDS, 5 * WAIT + 30)
            self.assertFalse(self.is_static(host))
        a.run("systemctl", "kill", "--kill-who=main", "-s", "INT", "pings")
        a.wait_for("grep -q transmitted /tmp/pings")
        sent, heard = map(int, re.search(r"(\d+) packets transmitted, (\d+) received",
                                         a.shell("cat /tmp/pings")).groups())
        print(f"{sent - heard} of {sent} pings lost, one every 10 ms")
        self.assertGreater(heard, 0)
        self.assertLess(sent - heard, LOST_MAX)
        for host in (a, b):
            status = host.status()
            self.assertEqual((status["health"], status["engine"]["name"]), ("up", "fastpath"), status)
            self.assertIn("goes by fingerprints", host.tunctl("key", "migrate", SITE))

    def test_2_a_boot_changes_nothing(self):
        self.a.reboot()
        site_hosts.hosts.link(self.a, self.b)
        self.a.wait_for_ping()
        self.assertFalse(self.is_static(self.a))

    def test_3_it_is_undone(self):
        printed(self.a.tunctl("key", "migrate", SITE, "--undo"))
        self.b.tunctl("key", "migrate", SITE, "--undo")
        self.assert_static_again()
        for host in (self.a, self.b):
            self.assertEqual(host.shell(f"ls {NOTE} /etc/tunctl/keys/{SITE}/tls.* "
                                        f"/etc/tunctl/ovpn/*.fingerprint.conf 2>/dev/null; true"), "")

    def test_4_one_end_alone_goes_back(self):
        self.prepare()
        self.agree(self.a)
        self.a.wait_for(HAS_LEFT, 3 * WAIT + 20)
        self.assert_static_again()
        self.assertIn("the last trial ended: not up",
                      self.a.tunctl("key", "migrate", SITE, check=False).stderr)

    def test_5_a_boot_in_the_middle_brings_both_back(self):
        self.agree(self.a, self.b)
        self.a.reboot()
        site_hosts.hosts.link(self.a, self.b)
        self.assertTrue(self.is_static(self.a))
        self.b.wait_for(HAS_LEFT, 5 * WAIT + 30)
        self.assert_static_again()

    def test_6_the_static_key_is_deleted_at_last(self):
        self.agree(self.a, self.b)
        for host in (self.a, self.b):
            host.wait_for(STANDS, 5 * WAIT + 30)
            host.tunctl("key", "migrate", SITE, "--finish")
            self.assertEqual(host.shell("grep -rl 'Static key' /etc/tunctl; true"), "")
            host.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main(failfast=True)
