#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two machines of one's own, joined as the manual says: `new` on a, what it printed on b, what that
printed on a. The tunnel survives kill -9 and restarts, and a fingerprint that is not the peer's is
told at both ends.
"""

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import SITE, UNIT  # noqa: E402

KEYS = f"/etc/tunctl/keys/{SITE}"
SECRET = "-----BEGIN PRIVATE KEY-----"


def far_end_line(text):
    """The command that one end printed for the other, as a person would paste it."""
    return re.search(r"next, far end:  (tunctl .*)", text)[1]


class OwnSites(unittest.TestCase):
    """Steps that follow each other: unittest runs them by name."""

    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_of(cls)

    def fingerprint(self, host):
        return host.tunctl("key", "fingerprint", SITE).split()[1]

    def test_1_three_commands_join_them(self):
        a, b = self.a, self.b
        first = a.tunctl("new", SITE, "--far-remote", "10.0.0.1", "--cpus", "0")
        # Half of it is not started, and says what is missing.
        done = a.tunctl("enable", "--now", SITE, check=False)
        self.assertEqual(done.returncode, 5)
        self.assertIn("the far end's fingerprint is not known yet", done.stderr)
        second = b.shell(far_end_line(first))
        third = a.shell(far_end_line(second))
        self.assertNotIn(SECRET, first + second + third)
        for host in (a, b):
            shown = host.run("openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in",
                             f"{KEYS}/tls.crt").strip()
            self.assertEqual(shown.partition("=")[2], self.fingerprint(host))
            self.assertEqual(host.shell(f"stat -c %a:%U {KEYS} {KEYS}/tls.key").split(),
                             ["700:root", "600:root"])
        self.assertNotEqual(a.shell(f"cat {KEYS}/tls.key"), b.shell(f"cat {KEYS}/tls.key"))
        b.tunctl("--timeout", "1", "enable", "--now", SITE, check=False)
        a.tunctl("--timeout", "30", "enable", "--now", SITE)
        for host, far in ((a, "10.8.0.2"), (b, "10.8.0.1")):
            host.wait_for_ping(far)
            status = host.status()
            self.assertEqual((status["health"], status["engine"]["name"]), ("up", "fastpath"))

    def test_2_kill_and_restart(self):
        for host, far in ((self.a, "10.8.0.2"), (self.b, "10.8.0.1")):
            old = host.main_pid()
            host.run("kill", "-9", str(old))
            host.seconds_until_back(old, far)
            host.run("systemctl", "restart", UNIT)
            host.wait_for_ping(far)
        self.a.reboot()
        site_hosts.hosts.link(self.a, self.b)
        self.a.wait_for_ping()

    def test_3_a_wrong_fingerprint_is_told_at_both_ends(self):
        a, b = self.a, self.b
        right = self.fingerprint(b)
        a.tunctl("key", "trust", SITE, "00" + right[2:], "--force")
        a.tunctl("--timeout", "5", "restart", SITE, check=False)
        a.wait_for(f"journalctl -u {UNIT} -o cat | grep "
                   f"'its SHA-256 fingerprint {right} is not in peer-fingerprint'", 40)
        b.wait_for(f"journalctl -u {UNIT} -o cat | grep 'the peer refused our certificate'", 40)
        self.assertEqual(a.status()["health"], "down")
        self.assertEqual(a.shell("ping -c 1 -W 1 10.8.0.2", check=False).returncode, 1)
        a.tunctl("key", "trust", SITE, right, "--force")
        a.tunctl("restart", SITE)
        a.wait_for_ping()

    def test_4_a_new_key_is_told_by_one_line(self):
        printed = self.b.tunctl("key", "gen", SITE, "--force")
        self.b.tunctl("--timeout", "1", "restart", SITE, check=False)
        self.a.shell(far_end_line(printed))
        self.a.tunctl("restart", SITE)
        self.a.wait_for_ping()

    def test_5_all_of_it_goes_with_the_site(self):
        for host in (self.a, self.b):
            host.tunctl("disable", "--now", SITE)
            host.tunctl("remove", SITE)
            self.assertEqual(host.shell("find /etc/tunctl ! -type d").split(), [])


if __name__ == "__main__":
    skip.need("root", "tun", "boot", "program:openssl")
    netns.end_on_signals()
    unittest.main(failfast=True)
