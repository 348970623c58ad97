#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two sites on one host: the engine of one, taken over by an enemy, reads neither the key nor the
memory of the other, and cannot hide a link where root will write."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402

VICTIM, ENEMY = "site-a", "site-b"

# What runs as the enemy's engine would: its user, its capabilities, its view of files.
_AS = "nsenter -t {pid} -m -- setpriv --reuid={uid} --regid={uid} --clear-groups" \
      " --bounding-set=-all,+net_admin --inh-caps=-all,+net_admin --ambient-caps=-all,+net_admin" \
      " --no-new-privs sh -c '{script}'"


class Isolation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.staged = site_hosts.stage()
        folder = cls.staged.__enter__()
        cls.addClassCleanup(cls.staged.__exit__, None, None, None)
        cls.host = site_hosts.SiteHost(f"tct-{os.getpid()}-a", folder)
        cls.addClassCleanup(cls.host.close)
        for number, site in enumerate((VICTIM, ENEMY), 1):
            cls.host.tunctl("new", site, "--mode", "static-key", "--remote", "10.0.0.2", "--port", str(2010 + number),
                            "--ifconfig", f"10.8.{number}.1", f"10.8.{number}.2")
            cls.host.tunctl("--timeout", "1", "start", site, check=False)  # no far end here
            cls.host.wait_for(f"systemctl is-active tunctl@{site}")

    def as_enemy(self, script):
        pid = self.host.main_pid(f"tunctl@{ENEMY}.service")
        uid = self.host.shell(f"stat -c %u /proc/{pid}").strip()
        return self.host.shell(_AS.format(pid=pid, uid=uid, script=script), check=False)

    def victim_pid(self):
        return self.host.main_pid(f"tunctl@{VICTIM}.service")

    def test_the_enemy_can_do_what_it_should(self):
        self.assertEqual(self.as_enemy(f"cat /run/tunctl/{ENEMY}/*.key").returncode, 0)

    def test_users_differ(self):
        uids = {self.host.shell(f"stat -c %u /proc/{self.host.main_pid(f'tunctl@{site}.service')}")
                for site in (VICTIM, ENEMY)}
        self.assertEqual(len(uids), 2)

    def test_no_key(self):
        for path in (f"/run/tunctl/{VICTIM}/{VICTIM}.key", f"/run/tunctl/{VICTIM}/{VICTIM}.conf",
                     f"/etc/tunctl/keys/{VICTIM}/{VICTIM}.key"):
            self.host.run("test", "-e", path)
            self.assertNotEqual(self.as_enemy(f"cat {path}").returncode, 0, path)

    def test_no_memory(self):
        pid = self.victim_pid()
        self.assertNotEqual(self.as_enemy(f"head -c 1 /proc/{pid}/mem").returncode, 0)
        self.assertNotEqual(self.as_enemy(f"cat /proc/{pid}/maps | grep .").returncode, 0)
        self.assertNotEqual(self.as_enemy(f"kill -0 {pid}").returncode, 0)

    def test_no_state(self):
        self.host.run("test", "-d", f"/var/lib/tunctl/{VICTIM}")
        self.assertNotEqual(self.as_enemy(f"ls /var/lib/tunctl/{VICTIM}").returncode, 0)

    def test_a_link_in_its_own_folders_leads_root_nowhere(self):
        before = self.host.shell("stat -c '%u %a' /etc/shadow")
        self.as_enemy(f"ln -sf /etc/shadow /run/tunctl/{ENEMY}/{ENEMY}.conf;"
                      f" ln -sf /etc/shadow /var/lib/tunctl/{ENEMY}/link")
        text = self.host.shell("sha256sum /etc/shadow")
        self.host.tunctl("reload", ENEMY, check=False)
        self.host.tunctl("--timeout", "1", "restart", ENEMY, check=False)
        self.assertEqual(self.host.shell("sha256sum /etc/shadow"), text)
        self.assertEqual(self.host.shell("stat -c '%u %a' /etc/shadow"), before)


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main()
