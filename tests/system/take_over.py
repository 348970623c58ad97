#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A tunnel that outlives its engine, under a systemd: killed again and again under a TCP transfer,
restarted, and stopped.

    take_over.py [--kills N]     N: how often it is killed
"""

import pathlib
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import netns  # noqa: E402
import site_hosts  # noqa: E402
import skip  # noqa: E402
from site_hosts import FAR, SITE, UNIT  # noqa: E402
from transfer import Transfer, gaps_in_words  # noqa: E402

KILLS = 5
UP_SECONDS = 3.0
if "--kills" in sys.argv:
    KILLS = int(sys.argv.pop(sys.argv.index("--kills") + 1))
    sys.argv.remove("--kills")


class TakeOver(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.a, cls.b = site_hosts.hosts_with_site(cls)

    def resumed(self):
        return self.a.journal().count("resumed: ")

    def watch(self):
        """Begins to note what the kernel removes."""
        self.a.shell("pkill -x ip; rm -f /tmp/monitor; "
                     "setsid ip -o monitor link address route >/tmp/monitor 2>&1 &", check=False)
        time.sleep(0.3)

    def removed(self):
        time.sleep(0.3)
        lines = self.a.shell("cat /tmp/monitor").splitlines()
        return [line for line in lines if "Deleted" in line]

    def carry_on(self, do, times):
        """Does it under a transfer; the gaps."""
        before, gaps = self.resumed(), []
        with Transfer(self.a, self.b, FAR) as transfer:
            for _ in range(times):
                time.sleep(UP_SECONDS)
                begun, pid = time.monotonic(), self.a.main_pid()
                do(pid)
                self.a.seconds_until_back(pid)
                transfer.wait_for_more()
                gaps.append(transfer.longest_gap(begun, time.monotonic()))
            size = transfer.finish()
        self.assertEqual(self.resumed(), before + times, self.a.journal()[-3000:])
        print(f"{size} bytes: {gaps_in_words(gaps)}", flush=True)

    def test_1_killed_under_a_transfer(self):
        self.watch()
        self.carry_on(lambda pid: self.a.run("kill", "-9", str(pid)), KILLS)
        self.assertEqual(self.removed(), [])

    def test_2_restarted_under_a_transfer(self):
        self.watch()
        self.carry_on(lambda _: self.a.run("systemctl", "restart", UNIT), 2)
        self.carry_on(lambda _: self.a.tunctl("restart", SITE), 1)
        self.assertEqual(self.removed(), [])

    def test_3_watchdog(self):
        self.carry_on(lambda pid: self.a.run("kill", "-ABRT", str(pid)), 1)

    def test_4_an_edited_site_is_the_new_one(self):
        before = self.resumed()
        self.a.edit_site("s/^type = .*/&\\ntun-mtu = 1400/")
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        self.assertEqual(self.resumed(), before)
        self.assertIn("mtu 1400", self.a.shell("ip link show"))
        self.assertIn("what the last run left is not used: config or keys are others now",
                      self.a.journal())

    def test_5_stock_openvpn_takes_its_place_and_gives_it_back(self):
        self.a.edit_site('s/^engine = .*//; s/^\\[run\\]/[run]\\nengine = "openvpn"/')
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        self.assertEqual(self.a.status()["engine"]["name"], "openvpn")
        self.a.edit_site('s/^engine = .*/engine = "fastpath"/')
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        self.assertEqual(self.a.status()["engine"]["name"], "fastpath")

    def test_6_without_resume_it_begins_anew(self):
        before = self.resumed()
        self.a.edit_site("s/^\\[run\\]/[run]\\nresume = false/")
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()
        pid = self.a.main_pid()
        self.a.run("kill", "-9", str(pid))
        self.a.seconds_until_back(pid)
        self.assertEqual(self.resumed(), before)
        self.a.edit_site("s/^resume = false//")
        self.a.run("systemctl", "restart", UNIT)
        self.a.wait_for_ping()

    def test_7_a_stop_leaves_nothing(self):
        dev = self.a.shell("ip -o addr show to 10.8.0.1").split()[1]
        for script in (f"systemctl stop {UNIT}",
                       f"systemctl kill --kill-who=main -s KILL {UNIT}; systemctl stop {UNIT}",
                       f"systemctl kill --kill-who=main -s KILL {UNIT}; sleep 0.5;"
                       f" systemctl stop {UNIT}"):
            self.a.shell(script)
            self.assertEqual(self.a.show("NFileDescriptorStore"), "0", script)
            self.assertNotIn(f"{dev}:", self.a.shell("ip -o link"), script)
            self.assertEqual(self.a.shell(f"ls /var/lib/tunctl/{SITE}/comes-back", check=False)
                             .stdout, "", script)
            self.assertEqual(self.a.show("ActiveState", f"tunctl-undo@{SITE}.service"), "inactive")
            self.a.run("systemctl", "start", UNIT)
            self.a.wait_for_ping()


if __name__ == "__main__":
    skip.need("root", "tun", "boot")
    netns.end_on_signals()
    unittest.main(failfast=True)
